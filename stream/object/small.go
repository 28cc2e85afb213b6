package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// ErrNotFound says that there is no object of that name.
var ErrNotFound = errors.New("there is no such object")

// ErrOther says that an object is not the one that was to be replaced.
var ErrOther = errors.New("another object is there")

// Get returns a small object of a bucket, of at most so many bytes, and the tag of its version. The
// error is ErrNotFound if there is none.
func (c *Client) Get(path string, most int64) (body []byte, tag string, err error) {
	of, err := c.target(path)
	if err == nil {
		body, tag, err = c.get(c.ctx, of, most)
	}
	return body, tag, named(path, c.caused(err))
}

func (c *Client) get(ctx context.Context, of s3Object, most int64) (body []byte, tag string, err error) {
	err = c.again(ctx, func(ctx context.Context) error {
		in, info, _, err := of.client.GetObject(ctx, of.bucket, of.key, minio.GetObjectOptions{})
		if err != nil {
			return of.explain(err)
		}
		tag = info.ETag
		body, err = io.ReadAll(io.LimitReader(in, most+1))
		if err = errors.Join(err, in.Close()); err != nil {
			return temporary{fmt.Errorf("the connection has broken off: %v", err)}
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
	var options minio.PutObjectOptions
	if tag == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(tag)
	}
	err = c.again(c.ctx, func(ctx context.Context) error {
		info, err := to.client.PutObject(ctx, to.bucket, to.key, bytes.NewReader(body), int64(len(body)), "", "",
			options)
		newTag = info.ETag
		return to.explainReplaced(err, tag)
	})
	return newTag, named(path, c.caused(err))
}

// explainReplaced says what the answer to a write under a condition means.
func (o s3Object) explainReplaced(err error, tag string) error {
	answer := minio.ToErrorResponse(err)
	switch {
	case err == nil:
		return nil
	case answer.StatusCode == http.StatusPreconditionFailed,
		answer.StatusCode == http.StatusNotFound && tag != "" && answer.Code != "NoSuchBucket":
		return ErrOther
	case answer.StatusCode == http.StatusConflict: // with another write, which may fail
		return temporary{err}
	case answer.StatusCode == http.StatusNotImplemented:
		return fmt.Errorf("the server knows no writes under a condition (If-Match): %w", err)
	}
	return o.explain(err)
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

func (c *Client) remove(ctx context.Context, of s3Object) error {
	return c.again(ctx, func(ctx context.Context) error {
		return of.explain(of.client.RemoveObject(ctx, of.bucket, of.key, minio.RemoveObjectOptions{}))
	})
}

// ending is the context of what is done also after the program was stopped.
func (c *Client) ending() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.ctx), abortTimeout)
}
