package files

import "golang.org/x/sys/unix"

// ThreadCPUTime returns the CPU time of the current thread so far, in nanoseconds.
func ThreadCPUTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return t.Nano()
}
