package arrow

import (
	"errors"
	"runtime"
)

// recovered makes an error of a panic.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = asError(p)
	}
}

// asError is what the user is told of a panic, or of an error of the library, which makes errors of
// its own panics.
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
