package store

import (
	"errors"
	"fmt"
	"net/http"
)

// Errors of services.
var (
	// ErrNotFound is returned if an object does not exist.
	ErrNotFound = errors.New("there is no such object")
	// ErrOther is returned if an object is not the version to be replaced.
	ErrOther = errors.New("another object is there")
	// ErrChanged is returned if parts would come from two versions.
	ErrChanged = errors.New("it has changed while it was read: run again when nothing writes to it")
)

// A Temporary error may go away if the request is retried.
type Temporary struct{ error }

// Again wraps an error in a Temporary.
func Again(err error) error { return Temporary{err} }

// Unwrap returns the wrapped error.
func (t Temporary) Unwrap() error { return t.error }

// IsTemporary reports whether an error may go away on a retry.
func IsTemporary(err error) bool { return errors.As(err, new(Temporary)) }

// Broken returns the error for a connection that ended in the middle of an object. It does not wrap
// err, which could be taken for a broken pipe of ours.
func Broken(err error) error { return Again(fmt.Errorf("the connection broke off: %v", err)) }

// FromStatus wraps an error by the status of the answer; code is 0 if there was none.
func FromStatus(code int, err error) error {
	switch code {
	case http.StatusPreconditionFailed:
		return ErrChanged
	// the connection failed; do not wrap err, which could be taken for a broken pipe of ours
	case 0:
		return Again(errors.New(err.Error()))
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Again(err)
	}
	return err
}

// NoBucket returns the error for a bucket that does not exist, with what to check.
func NoBucket(bucket, check string) error {
	return fmt.Errorf("there is no bucket %s: check %s", bucket, check)
}
