// Package store defines the interface of a storage service and its errors. Package object
// implements once what all services share: parallel requests, retries, listings, and agreement by
// conditional writes.
package store

import (
	"context"
	"io"
)

// A Version is one state of an object.
type Version struct {
	Size int64  // in bytes; -1 if unknown
	Tag  string // unique among the versions of the object; empty if unknown
	// Ranges reports whether parts can be requested. Otherwise the object has to be read in one
	// piece.
	Ranges bool
}

// A Place is the location of an object.
type Place struct{ Bucket, Key string }

// A Service provides buckets. It makes each request once; an error that may go away on a retry is
// Temporary. It must be safe for concurrent use. Errors must not contain credentials.
type Service interface {
	// CheckBucket returns an error if a bucket does not exist, or no request can be made. If asking
	// for the bucket is not allowed, writing may still be, so that is not an error.
	CheckBucket(ctx context.Context, bucket string) error
	// List returns some of the keys with a prefix, in any order, and the value of more for the next
	// call. It is "" for the first call and after the last one.
	List(ctx context.Context, bucket, prefix, more string) (keys []string, next string, err error)

	Stat(ctx context.Context, at Place) (Version, error)
	// Get returns bytes [from, to) of a version, at least one. The error is ErrChanged if the
	// object has another version by now.
	Get(ctx context.Context, at Place, of Version, from, to int64) (io.ReadCloser, error)
	// GetAll returns a whole object and its tag.
	GetAll(ctx context.Context, at Place) (body io.ReadCloser, tag string, err error)

	Put(ctx context.Context, at Place, body *io.SectionReader) error
	// Replace writes an object if the present version has the given tag, or with an empty tag if
	// there is none; otherwise the error is ErrOther.
	Replace(ctx context.Context, at Place, body *io.SectionReader, tag string) (newTag string, err error)
	// ForeignTag returns a valid tag that no object has.
	ForeignTag() string
	// Remove removes an object. For one that does not exist it returns nil or ErrNotFound.
	Remove(ctx context.Context, at Place) error

	// Begin starts a multipart upload.
	Begin(ctx context.Context, at Place) (Upload, error)
}

// An Upload is an object that is sent in parts. It does not exist before it is completed. It is
// safe for concurrent use.
type Upload interface {
	// Send uploads a part, numbered from 1, and returns its tag.
	Send(ctx context.Context, number int, part *io.SectionReader) (tag string, err error)
	// Complete creates the object from all parts, with their tags in order.
	Complete(ctx context.Context, tags []string) error
	// Abort removes the uploaded parts.
	Abort(ctx context.Context) error
}
