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

// What a writer does at once, and how many parts an object can have. Parts are read from a file
// again for each attempt, and take no memory.
const (
	sendPartBytes   = 16 << 20
	sendConnections = 4
	mostParts       = 10_000
)

// CheckBucket returns an error that names a bucket which is not there, or a path that an object
// cannot be written to. Whether writing is allowed comes out with the first object.
func (c *Client) CheckBucket(path string) error {
	to, err := c.target(path)
	if err != nil {
		return named(path, err)
	}
	err = c.again(c.ctx, func(ctx context.Context) error { return to.Service.CheckBucket(ctx, to.Bucket) })
	return named(path, c.caused(err))
}

// Put makes an object of the first bytes of a file. It is there when all of them are, and not
// before: a large one is sent in parts, several at once, which become an object in the end. What
// breaks off is sent again.
func (c *Client) Put(path string, file io.ReaderAt, size int64) error {
	to, err := c.target(path)
	if err == nil && size <= c.send {
		err = c.again(c.ctx, func(ctx context.Context) error {
			return to.Service.Put(ctx, to.Place, io.NewSectionReader(file, 0, size))
		})
	} else if err == nil {
		err = c.putParts(to, file, size)
	}
	return named(path, c.caused(err))
}

// errNotWritten says how what was written comes to the Hub.
var errNotWritten = errors.New("nothing is written to the Hub: write files into a directory, then give hf repos " +
	"create OWNER/NAME --repo-type dataset, and hf upload OWNER/NAME DIRECTORY . --repo-type dataset")

// target is the object that a path names, to be written to.
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

// again does something until it succeeds, or another attempt is not worth it.
func (c *Client) again(ctx context.Context, do func(ctx context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := do(ctx)
		if err == nil || !store.IsTemporary(err) || attempt == attempts || ctx.Err() != nil {
			return err
		}
		if err := c.wait(ctx, attempt, err); err != nil {
			return err
		}
	}
}

// putParts sends a large object.
func (c *Client) putParts(to stored, file io.ReaderAt, size int64) (err error) {
	var object store.Upload
	err = c.again(c.ctx, func(ctx context.Context) (err error) {
		object, err = to.Begin(ctx, to.Place)
		return err
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // also if the program was stopped: parts that are left cost money
			ctx, cancel := c.ending()
			defer cancel()
			err = errors.Join(err, c.again(ctx, object.Abort))
		}
	}()
	tags, err := c.sendParts(object, file, size)
	if err != nil {
		return err
	}
	return c.again(c.ctx, func(ctx context.Context) error { return object.Complete(ctx, tags) })
}

// abortTimeout is how long the end of an object that failed may take.
const abortTimeout = 20 * time.Second

// sendParts sends all parts, several at once, and returns their tags.
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
				err := c.again(ctx, func(ctx context.Context) (err error) {
					tags[i], err = object.Send(ctx, i+1, io.NewSectionReader(file, from, min(each, size-from)))
					return err
				})
				if err != nil {
					cancel(err) // the first one is the cause
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
