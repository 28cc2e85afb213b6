package object

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Parallel requests of a writer, and the limits of a multipart upload. Each attempt reads its part
// from the file again, which takes no memory.
const (
	sendPartBytes   = 16 << 20
	sendConnections = 4
	mostParts       = 10_000
)

// CheckBucket returns an error if a bucket does not exist, or a path cannot be written to. Missing
// write permission shows only when the first object is written.
func (c *Client) CheckBucket(path string) error {
	to, err := c.target(path)
	if err != nil {
		return named(path, err)
	}
	err = c.retry(c.ctx, func(ctx context.Context) error { return to.Service.CheckBucket(ctx, to.Bucket) })
	return named(path, c.caused(err))
}

// Put writes the first size bytes of file as an object. The object appears only when it is
// complete: a large one is uploaded in several parts, in parallel. Failed requests are retried.
func (c *Client) Put(path string, file io.ReaderAt, size int64) error {
	to, err := c.target(path)
	if err == nil && size <= c.send {
		err = c.retry(c.ctx, func(ctx context.Context) error {
			return to.Service.Put(ctx, to.Place, io.NewSectionReader(file, 0, size))
		})
	} else if err == nil {
		err = c.putParts(to, file, size)
	}
	return named(path, c.caused(err))
}

// errNotWritten says how to get files to the Hub.
var errNotWritten = errors.New("nothing is written to the Hub: write files into a directory, then give hf repos " +
	"create OWNER/NAME --repo-type dataset, and hf upload OWNER/NAME DIRECTORY . --repo-type dataset")

// target returns the object to write at a path.
func (c *Client) target(path string) (stored, error) {
	if isHub(path) {
		return stored{}, errNotWritten
	}
	to, err := c.stored(path)
	if err == nil && strings.HasSuffix(to.Key, "/") {
		err = errors.New("a name that ends in a slash names a directory to most programs: name an object, as in " +
			"s3://bucket/key")
	}
	return to, err
}

// putParts uploads a large object in parts.
func (c *Client) putParts(to stored, file io.ReaderAt, size int64) (err error) {
	var object store.Upload
	err = c.retry(c.ctx, func(ctx context.Context) (err error) {
		object, err = to.Begin(ctx, to.Place)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // even if the program was stopped: leftover parts cost money
			ctx, cancel := c.ending()
			defer cancel()
			err = errors.Join(err, c.retry(ctx, object.Abort))
		}
	}()
	tags, err := c.sendParts(object, file, size)
	if err != nil {
		return err
	}
	return c.retry(c.ctx, func(ctx context.Context) error { return object.Complete(ctx, tags) })
}

// abortTimeout bounds the cleanup after a failed upload.
const abortTimeout = 20 * time.Second

// sendParts uploads all parts, several in parallel, and returns their tags.
func (c *Client) sendParts(object store.Upload, file io.ReaderAt, size int64) ([]string, error) {
	each := max(c.send, (size+mostParts-1)/mostParts)
	tags := make([]string, (size+each-1)/each)
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var senders sync.WaitGroup
	for range min(sendConnections, len(tags)) {
		senders.Go(func() {
			for i := range numbers {
				from := int64(i) * each
				err := c.retry(ctx, func(ctx context.Context) (err error) {
					tags[i], err = object.Send(ctx, i+1, io.NewSectionReader(file, from, min(each, size-from)))
					return err
				})
				if err != nil {
					cancel(err) // the first error is the cause
				}
			}
		})
	}
	for i := range tags {
		select {
		case numbers <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(numbers)
	senders.Wait()
	return tags, context.Cause(ctx)
}
