package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// What may come of a request for a small object.
var (
	// ErrNotFound says that there is no object of that name.
	ErrNotFound = store.ErrNotFound
	// ErrChanged says that an object became another one while it was read.
	ErrChanged = store.ErrChanged
	// ErrOther says that an object is not the one that was to be replaced.
	ErrOther = store.ErrOther
)

// Get returns a small object of a bucket, of at most so many bytes, and the tag of its version. The
// error is ErrNotFound if there is none.
func (c *Client) Get(path string, most int64) (body []byte, tag string, err error) {
	of, err := c.target(path)
	if err == nil {
		body, tag, err = c.get(c.ctx, of, most)
	}
	return body, tag, named(path, c.caused(err))
}

func (c *Client) get(ctx context.Context, of stored, most int64) (body []byte, tag string, err error) {
	err = c.again(ctx, func(ctx context.Context) error {
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

// Replace makes a small object, in place of the one with that tag; without a tag there must be none
// yet. Else the error is ErrOther. It is also ErrOther if an attempt has succeeded whose answer was
// lost, and another one was made: who must know reads the object.
func (c *Client) Replace(path string, body []byte, tag string) (newTag string, err error) {
	to, err := c.target(path)
	if err != nil {
		return "", named(path, err)
	}
	err = c.again(c.ctx, func(ctx context.Context) (err error) {
		whole := io.NewSectionReader(bytes.NewReader(body), 0, int64(len(body)))
		newTag, err = to.Service.Replace(ctx, to.Place, whole, tag)
		return err
	})
	return newTag, named(path, c.caused(err))
}

// ForeignTag is a tag that no object at a path has: who replaces it there is to be told ErrOther.
func (c *Client) ForeignTag(path string) (string, error) {
	at, err := c.target(path)
	if err != nil {
		return "", named(path, err)
	}
	return at.Service.ForeignTag(), nil
}

// Remove removes an object of a bucket. One that is not there is no error. It is done also after
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

// RemoveIf removes an object that has these bytes, and says whether it had. It is done also after
// the program was stopped. What another program writes between the look and the removal is removed
// too.
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

func (c *Client) remove(ctx context.Context, of stored) error {
	err := c.again(ctx, func(ctx context.Context) error { return of.Service.Remove(ctx, of.Place) })
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// ending is the context of what is done also after the program was stopped.
func (c *Client) ending() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.ctx), abortTimeout)
}
