package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Errors of requests for small objects.
var (
	// ErrNotFound is returned if an object does not exist.
	ErrNotFound = store.ErrNotFound
	// ErrChanged is returned if an object was replaced while it was read.
	ErrChanged = store.ErrChanged
	// ErrOther is returned if an object is not the version to be replaced.
	ErrOther = store.ErrOther
)

// Get returns an object of at most that many bytes, and the tag of its version. The error is
// ErrNotFound if it does not exist.
func (c *Client) Get(path string, most int64) (body []byte, tag string, err error) {
	of, err := c.target(path)
	if err == nil {
		body, tag, err = c.get(c.ctx, of, most)
	}
	return body, tag, named(path, c.caused(err))
}

func (c *requests) get(ctx context.Context, of stored, most int64) (body []byte, tag string, err error) {
	err = c.retry(ctx, func(ctx context.Context) error {
		in, its, err := of.GetAll(ctx, of.Place)
		if err != nil {
			return err
		}
		tag = its
		body, err = io.ReadAll(io.LimitReader(in, most+1))
		if err = errors.Join(err, in.Close()); err != nil {
			return store.Broken(err)
		}
		return nil
	})
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("it has more than %d bytes, which it cannot have", most)
	}
	return body, tag, err
}

// Replace writes a small object if the present version has the given tag, or with an empty tag if
// there is none; otherwise the error is ErrOther. ErrOther is also returned if an attempt
// succeeded, its answer was lost, and the retry failed. Read the object to know.
func (c *Client) Replace(path string, body []byte, tag string) (newTag string, err error) {
	to, err := c.target(path)
	if err != nil {
		return "", named(path, err)
	}
	err = c.retry(c.ctx, func(ctx context.Context) (err error) {
		whole := io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body)))
		newTag, err = to.Service.Replace(ctx, to.Place, whole, tag)
		return err
	})
	return newTag, named(path, c.caused(err))
}

// ForeignTag returns a tag that no object at path has, so that replacing it fails with ErrOther.
func (c *Client) ForeignTag(path string) (string, error) {
	at, err := c.target(path)
	if err != nil {
		return "", named(path, err)
	}
	return at.Service.ForeignTag(), nil
}

// Remove removes an object. Removing one that does not exist is not an error. It works even after
// the program was stopped.
func (c *Client) Remove(path string) error {
	of, err := c.target(path)
	if err == nil {
		ctx, cancel := c.ending()
		defer cancel()
		err = c.remove(ctx, of)
	}
	return named(path, err)
}

// RemoveIf removes an object if it has exactly these bytes, and reports whether it did. It works
// even after the program was stopped. A write of another program between the check and the removal
// is lost.
func (c *Client) RemoveIf(path string, body []byte) (removed bool, err error) {
	of, err := c.target(path)
	if err != nil {
		return false, named(path, err)
	}
	ctx, cancel := c.ending()
	defer cancel()
	there, _, err := c.get(ctx, of, int64(len(body))+1<<16)
	if errors.Is(err, ErrNotFound) || err == nil && !bytes.Equal(there, body) {
		return false, nil
	}
	if err == nil {
		err = c.remove(ctx, of)
	}
	return err == nil, named(path, err)
}

func (c *requests) remove(ctx context.Context, of stored) error {
	err := c.retry(ctx, func(ctx context.Context) error { return of.Service.Remove(ctx, of.Place) })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// ending returns a context for requests after the program was stopped.
func (c *requests) ending() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.ctx), abortTimeout)
}
