// Package usage marks errors in how the program was called. They are found where a value is used,
// which may be in any package, and have an exit status of their own.
package usage

import (
	"errors"
	"io/fs"
	"syscall"
)

// Err matches marked errors with errors.Is.
var Err = errors.New("usage")

// marked is a usage error with its own message.
type marked struct{ error }

func (marked) Is(target error) bool { return target == Err }

// Error marks an error that shows the value of a flag to be invalid. System errors, such as a
// missing file, and nil are returned unchanged.
func Error(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) || errors.As(err, new(syscall.Errno)) {
		return err
	}
	return marked{err}
}
