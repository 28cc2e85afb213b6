//go:build !linux

package files

import "time"

var begun = time.Now()

// ThreadCPUTime returns the elapsed time in nanoseconds, since threads have no clocks of their own
// here.
func ThreadCPUTime() int64 { return int64(time.Since(begun)) }
