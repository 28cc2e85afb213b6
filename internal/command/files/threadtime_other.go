//go:build !linux

package files

import "time"

var begun = time.Now()

// ThreadCPUTime is the time that has passed, in nanoseconds: threads have no clock of their own
// here.
func ThreadCPUTime() int64 { return int64(time.Since(begun)) }
