//go:build !linux

package eval

import "time"

var began = time.Now()

// cpuSeconds returns the wall-clock time, since CPU time is not available per thread.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
