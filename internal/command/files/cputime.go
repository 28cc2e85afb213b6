package files

import "golang.org/x/sys/unix"

// CPUTime returns the CPU time of the process so far, in nanoseconds.
func CPUTime() int64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
