// Package descriptors ends a program that may open too few files for the runtime of Go, which would
// crash with the status of a wrong command as soon as it opens one. Packages that others have
// written may do that before main: so it is done when the package is initialised, which comes
// before them by its path, if it imports nothing but what os does. It is for the program alone.
package descriptors

import (
	"errors"
	"os"
	"syscall"
)

// fewest is how many files the runtime opens at once: two to wait with, and the one that it waits
// for.
const fewest = 3

func init() {
	if err := openAtOnce(fewest); errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		os.Stderr.WriteString("mithril-stream: " + err.Error() + ": the limit on open files leaves room for too few: " +
			"raise it, as by ulimit -n 256, then run the command again\n")
		os.Exit(1)
	}
	if f, err := os.Open(os.DevNull); err == nil { // with which the runtime opens its two
		f.Close()
	}
}

// openAtOnce tries whether so many files can be open at once. It does so without the runtime.
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
