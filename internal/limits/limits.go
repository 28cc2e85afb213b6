// Package limits ends the program, with a message, if the process may use too few file descriptors
// or too little address space for the Go runtime. Without it the runtime would crash in the middle
// of the work, or exit with the status of a wrong command line. Only package main imports it.
//
// The check has to come before other packages open a file in their init functions. Go initializes
// packages in the order of their import paths as soon as all that they import is initialized, so
// this package imports nothing that package os does not import too.
package limits

import (
	"errors"
	"os"
	"syscall"
)

const (
	// minDescriptors is how many files the runtime opens at once: two for its network poller, and
	// the file that it polls.
	minDescriptors = 3

	// minAddressSpace is enough for the runtime and a small index, in bytes. The runtime reserves
	// far more address space than it uses memory, half a gigabyte of it before any init function
	// runs. A run on two cores failed with 780 MiB and succeeded with 830 MiB.
	minAddressSpace = 1 << 30
)

func init() {
	checkDescriptors()
	checkAddressSpace()
}

func checkDescriptors() {
	if err := openAtOnce(minDescriptors); errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		fail(err.Error() + ": the limit on open files is too low: raise it (ulimit -n 256), then run the command again")
	}
	if f, err := os.Open(os.DevNull); err == nil { // makes the runtime open the two of its poller
		f.Close()
	}
}

func checkAddressSpace() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil {
		return
	}
	if message := addressSpaceError(limit.Cur); message != "" {
		fail(message)
	}
}

// addressSpaceError returns the error message for an address space of limit bytes, or "" if the
// limit is high enough.
func addressSpaceError(limit uint64) string {
	if limit >= minAddressSpace {
		return ""
	}
	return "the address space is limited to " + decimal(limit>>20) + " MiB, and Go needs " +
		decimal(minAddressSpace>>20) + ": raise the limit (ulimit -v unlimited), and limit memory by a " +
		"control group instead (systemd-run -p MemoryMax=...)"
}

// openAtOnce opens count files at the same time and closes them. It uses system calls alone, since
// the runtime throws if it cannot open the files of its poller.
func openAtOnce(count int) error {
	if count == 0 {
		return nil
	}
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(openAtOnce(count-1), syscall.Close(fd))
}

// decimal formats n like strconv.FormatUint, which this package must not import.
func decimal(n uint64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

func fail(message string) {
	os.Stderr.WriteString("mithril-stream: " + message + "\n")
	os.Exit(1)
}
