// Package usage marks errors in the way that the program was called. They are found where a value
// is used, which is in any package, and end the program with a status of their own.
package usage

import (
	"errors"
	"io/fs"
	"syscall"
)

// Err is what a marked error is, by errors.Is.
var Err = errors.New("usage")

// marked is an error in the way that the program was called, in its own words.
type marked struct{ error }

func (marked) Is(target error) bool { return target == Err }

// Error marks an error: what a flag asks for turned out to make no sense when it was used. An error
// of the system, such as a file that is missing, stays what it is, and so does nil.
func Error(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) || errors.As(err, new(syscall.Errno)) {
		return err
	}
	return marked{err}
}
