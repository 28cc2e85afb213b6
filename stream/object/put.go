package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
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
	there, err := to.client.BucketExists(c.ctx, to.bucket)
	if err == nil && !there {
		return named(path, fmt.Errorf("there is no bucket %s: check the name, the endpoint and the region", to.bucket))
	}
	if err != nil && answered(minio.ToErrorResponse(err).StatusCode, err) != err {
		return named(path, c.caused(err)) // the server cannot be reached; that it says nothing means nothing
	}
	return nil
}

// Put makes an object of the first bytes of a file. It is there when all of them are, and not
// before: a large one is sent in parts, several at once, which become an object in the end. What
// breaks off is sent again.
func (c *Client) Put(path string, file io.ReaderAt, size int64) error {
	to, err := c.target(path)
	if err == nil && size <= c.send {
		err = c.again(c.ctx, func(ctx context.Context) error {
			_, err := to.client.PutObject(ctx, to.bucket, to.key, io.NewSectionReader(file, 0, size), size, "", "",
				minio.PutObjectOptions{})
			return to.explain(err)
		})
	} else if err == nil {
		err = c.putParts(to, file, size)
	}
	return named(path, c.caused(err))
}

// errNotWritten says how what was written comes to the Hub.
var errNotWritten = errors.New("nothing is written to the Hub: write files into a directory, then give hf repos " +
	"create OWNER/NAME --repo-type dataset, and hf upload OWNER/NAME DIRECTORY . --repo-type dataset")

// target is the object that a path names.
func (c *Client) target(path string) (s3Object, error) {
	if isHub(path) {
		return s3Object{}, errNotWritten
	}
	if !isS3(path) {
		return s3Object{}, errors.New("only objects of buckets can be written, as in s3://bucket/key")
	}
	if _, key, _ := split(path); strings.HasSuffix(key, "/") {
		return s3Object{}, errors.New("a name that ends in a slash names a directory to most programs: name an " +
			"object, as in s3://bucket/key")
	}
	of, err := c.source(path)
	if err != nil {
		return s3Object{}, err
	}
	return of.(s3Object), nil
}

// again does something until it succeeds, or another attempt is not worth it.
func (c *Client) again(ctx context.Context, do func(ctx context.Context) error) error {
	for attempt := 1; ; attempt++ {
		err := do(ctx)
		if err == nil || !isTemporary(err) || attempt == attempts || ctx.Err() != nil {
			return err
		}
		if err := c.wait(ctx, attempt, err); err != nil {
			return err
		}
	}
}

// putParts sends a large object.
func (c *Client) putParts(to s3Object, file io.ReaderAt, size int64) (err error) {
	id := ""
	err = c.again(c.ctx, func(ctx context.Context) (err error) {
		id, err = to.client.NewMultipartUpload(ctx, to.bucket, to.key, minio.PutObjectOptions{})
		return to.explain(err)
	})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil { // also if the program was stopped: parts that are left cost money
			ctx, cancel := c.ending()
			defer cancel()
			err = errors.Join(err, c.again(ctx, func(ctx context.Context) error {
				return to.explain(to.client.AbortMultipartUpload(ctx, to.bucket, to.key, id))
			}))
		}
	}()
	parts, err := c.sendParts(to, id, file, size)
	if err != nil {
		return err
	}
	return c.again(c.ctx, func(ctx context.Context) error {
		_, err := to.client.CompleteMultipartUpload(ctx, to.bucket, to.key, id, parts, minio.PutObjectOptions{})
		return to.explain(err)
	})
}

// abortTimeout is how long the end of an object that failed may take.
const abortTimeout = 20 * time.Second

// sendParts sends all parts, several at once.
func (c *Client) sendParts(to s3Object, id string, file io.ReaderAt, size int64) ([]minio.CompletePart, error) {
	each := max(c.send, (size+mostParts-1)/mostParts)
	parts := make([]minio.CompletePart, (size+each-1)/each)
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var senders sync.WaitGroup
	for range min(sendConnections, len(parts)) {
		senders.Go(func() {
			for i := range numbers {
				from := int64(i) * each
				err := c.again(ctx, func(ctx context.Context) (err error) {
					parts[i], err = to.sendPart(ctx, id, i+1, file, from, min(each, size-from))
					return err
				})
				if err != nil {
					cancel(err) // the first one is the cause
				}
			}
		})
	}
	for i := range parts {
		select {
		case numbers <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(numbers)
	senders.Wait()
	return parts, context.Cause(ctx)
}

func (o s3Object) sendPart(
	ctx context.Context, id string, number int, file io.ReaderAt, from, size int64,
) (minio.CompletePart, error) {
	part, err := o.client.PutObjectPart(ctx, o.bucket, o.key, id, number, io.NewSectionReader(file, from, size), size,
		minio.PutObjectPartOptions{})
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return minio.CompletePart{}, fmt.Errorf("the server knows no such upload: %w", err)
	}
	return minio.CompletePart{PartNumber: number, ETag: part.ETag}, o.explain(err)
}
