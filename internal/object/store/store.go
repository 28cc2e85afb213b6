// Package store says what a service of buckets has to do, and what its errors mean. What all of
// them have in common is done once, by the package object: several requests at once, attempts after
// the first, listings, and agreement by writes under a condition.
package store

import (
	"context"
	"io"
)

// A Version is one state of an object.
type Version struct {
	Size int64  // in bytes; -1 if it is not known
	Tag  string // that no other state of the object has; empty if it is not known
	// Ranges says that parts can be asked for. Else the object comes in one piece.
	Ranges bool
}

// A Place is where an object is.
type Place struct{ Bucket, Key string }

// A Service has buckets. It makes each request once: an error that is worth another attempt is
// Temporary. It is safe for concurrent use. No error tells a credential.
type Service interface {
	// CheckBucket returns an error if a bucket is not there, or no request can be made. Who may not
	// ask for a bucket may still write to it: then it is taken to be there.
	CheckBucket(ctx context.Context, bucket string) error
	// List returns some of the keys that begin with a prefix, in any order, and what to ask for to
	// have more; empty at first, and in the end.
	List(ctx context.Context, bucket, prefix, more string) (keys []string, next string, err error)

	Stat(ctx context.Context, at Place) (Version, error)
	// Get returns the bytes from…to-1 of that version, of which there is at least one. The error is
	// ErrChanged if there is another version by now.
	Get(ctx context.Context, at Place, of Version, from, to int64) (io.ReadCloser, error)
	// GetAll returns all of an object, and its tag.
	GetAll(ctx context.Context, at Place) (body io.ReadCloser, tag string, err error)

	Put(ctx context.Context, at Place, body *io.SectionReader) error
	// Replace makes an object in place of the one with that tag; without a tag there must be none.
	// Else the error is ErrOther.
	Replace(ctx context.Context, at Place, body *io.SectionReader, tag string) (newTag string, err error)
	// ForeignTag has the form of a tag, and no object has it.
	ForeignTag() string
	// Remove removes an object. One that is not there is no error, or ErrNotFound.
	Remove(ctx context.Context, at Place) error

	// Begin begins an object of several parts.
	Begin(ctx context.Context, at Place) (Upload, error)
}

// An Upload is an object that is sent in parts. It is there when it is completed, and not before.
// It is safe for concurrent use.
type Upload interface {
	// Send sends a part, of which the first one is number 1, and returns its tag.
	Send(ctx context.Context, number int, part *io.SectionReader) (tag string, err error)
	// Complete makes the object of all parts, whose tags are given in their order.
	Complete(ctx context.Context, tags []string) error
	// Abort removes what was sent.
	Abort(ctx context.Context) error
}
