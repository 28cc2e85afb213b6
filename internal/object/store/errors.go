package store

import (
	"errors"
	"fmt"
	"net/http"
)

// What errors of services mean.
var (
	// ErrNotFound says that there is no object of that name.
	ErrNotFound = errors.New("there is no such object")
	// ErrOther says that an object is not the one that was to be replaced.
	ErrOther = errors.New("another object is there")
	// ErrChanged says that parts would be of two versions.
	ErrChanged = errors.New("it has changed while it was read: run again when nothing writes to it")
)

// A Temporary error is worth another attempt.
type Temporary struct{ error }

// Again makes an error a temporary one.
func Again(err error) error { return Temporary{err} }

// Unwrap returns the error itself.
func (t Temporary) Unwrap() error { return t.error }

// IsTemporary reports whether an error is worth another attempt.
func IsTemporary(err error) bool { return errors.As(err, new(Temporary)) }

// Broken is the error of a connection that has ended in the middle of an object. It is not the end
// of a pipe of ours, whatever the system calls it.
func Broken(err error) error { return Again(fmt.Errorf("the connection has broken off: %v", err)) }

// Answered is an error with the status that the server has answered with; 0 if it has not.
func Answered(code int, err error) error {
	switch code {
	case http.StatusPreconditionFailed:
		return ErrChanged
	case 0: // the connection has failed, which is not the end of a pipe of ours, whatever the system calls it
		return Again(errors.New(err.Error()))
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Again(err)
	}
	return err
}

// NoBucket says that a bucket is not there, and what to check.
func NoBucket(bucket, check string) error {
	return fmt.Errorf("there is no bucket %s: check %s", bucket, check)
}
