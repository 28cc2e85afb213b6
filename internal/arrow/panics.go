package arrow

import (
	"errors"
	"runtime"
)

// recovered turns a panic into an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = asError(p)
	}
}

// asError returns the error to report for a panic, or for an error of the library, which turns
// panics of its own into errors.
func asError(p any) error {
	err, ok := p.(error)
	var limit limitError
	switch {
	case ok && errors.As(err, &limit):
		return limit
	case !ok || errors.As(err, new(runtime.Error)):
		return errDamaged
	}
	return err
}

var errDamaged = errors.New("it is damaged: its parts do not fit together")
