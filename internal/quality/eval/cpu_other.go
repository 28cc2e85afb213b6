//go:build !linux

package eval

import "time"

var began = time.Now()

// cpuSeconds is the time by the clock, where the CPU time of a thread is not known.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
