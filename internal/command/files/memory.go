package files

import (
	"bytes"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// PeakMemory returns the largest resident set of the process so far, in bytes. It reads /proc if
// the system has that, since the result of getrusage starts with the peak of the process that
// started this one.
func PeakMemory() uint64 {
	if peak, ok := peakOfProc(); ok {
		return peak
	}
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss)
	}
	return uint64(usage.Maxrss) * 1024
}

// peakOfProc returns the value of the line "VmHWM:  1234 kB", which proc(5) describes.
func peakOfProc() (peak uint64, ok bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(status) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kib, err := strconv.ParseUint(string(fields[1]), 10, 64)
			return kib * 1024, err == nil
		}
	}
	return 0, false
}

// MemoryNow returns the resident set of the process in bytes, or its peak if the system does not
// report the current size.
func MemoryNow() uint64 {
	statm, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		return PeakMemory()
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		return PeakMemory()
	}
	return pages * uint64(os.Getpagesize())
}
