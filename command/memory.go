package command

import (
	"bytes"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// peakMemory is the largest resident set of the process so far, in bytes.
func peakMemory() uint64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) * 1024
}

// memoryNow is the resident set of the process, in bytes; where the system does not tell, it is the peak.
func memoryNow() uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		return peakMemory()
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		return peakMemory()
	}
	return pages * uint64(os.Getpagesize())
}
