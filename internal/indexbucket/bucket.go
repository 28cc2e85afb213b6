// Package indexbucket stores indexes in buckets. A run downloads one to a local directory, works on
// it there, and publishes the result.
//
// An index in a bucket is a sequence of generations. The object CURRENT lists the files of the
// latest one. It is replaced by a single write, on the condition that it is still the version that
// was downloaded; so a generation exists completely or not at all, whatever fails. The object LOCK
// keeps out a second writer. docs/design/format.md defines both.
package indexbucket

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// A Bucket is an index in a bucket. It is safe for concurrent use.
type Bucket struct {
	client *object.Client
	url    string // without a trailing slash
	cache  cache
}

// Open returns the index at a URL, such as s3://bucket/prefix, with a local directory for copies.
// It makes no request yet.
func Open(client *object.Client, url, cacheDir string) (*Bucket, error) {
	trimmed := strings.TrimRight(url, "/")
	_, rest, _ := strings.Cut(trimmed, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if !object.IsInBucket(url) || bucket == "" || key == "" || strings.ContainsAny(key, "*?[\n\t") {
		return nil, fmt.Errorf("%s is not an index in a bucket: name a bucket and a prefix, as in "+
			"s3://bucket/index", url)
	}
	return &Bucket{client, trimmed, cacheFor(cacheDir, trimmed)}, nil
}

func (b *Bucket) path(name string) string { return b.url + "/" + name }

// current reads the current generation, and the tag of the object that lists it. Without such an
// object it is generation 0, which has no files.
func (b *Bucket) current() (g generation, tag string, err error) {
	text, tag, err := b.client.Get(b.path(currentName), maxCurrent)
	if errors.Is(err, object.ErrNotFound) {
		return generation{}, "", nil
	}
	if err != nil {
		return generation{}, "", err
	}
	if g, err = decodeGeneration(text); err != nil {
		err = fmt.Errorf("%s: %w", b.path(currentName), err)
	}
	return g, tag, err
}

// replace replaces the object with that tag, or creates it if the tag is empty. It recovers from a
// lost answer, since no two programs write the same bytes.
func (b *Bucket) replace(name string, body []byte, tag string) error {
	_, err := b.client.Replace(b.path(name), body, tag)
	if err == nil {
		return nil
	}
	if there, _, failed := b.client.Get(b.path(name), maxCurrent); failed == nil && bytes.Equal(there, body) {
		return nil
	}
	return err
}

// Read downloads the current generation for queries.
func (b *Bucket) Read() (*Copy, error) {
	var last uint64
	for {
		g, tag, err := b.current()
		if err == nil && g.number == 0 {
			err = fmt.Errorf("there is no index at %s: check the name and the endpoint", b.url)
		}
		if err != nil {
			return nil, err
		}
		c, err := b.fetch(g, tag, false)
		isGone := errors.Is(err, object.ErrNotFound) || errors.Is(err, object.ErrChanged)
		if err == nil || !isGone || g.number <= last {
			return c, err
		}
		// A writer has published a generation and removed obsolete objects; some services then
		// report that an object has changed. If nothing was published, the next attempt ends with
		// the error.
		last = g.number
	}
}

// WithParameters calls do with a temporary directory that has the parameters of the index at a URL,
// and nothing else of it. It takes no lock, since parameters never change.
func WithParameters(client *object.Client, url string, do func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "mithril-stream-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b, err := Open(client, url, dir)
	if err == nil {
		err = b.readParameters(dir)
	}
	if err != nil {
		return fmt.Errorf("read the parameters of %s: %w", url, err)
	}
	return do(dir)
}

// readParameters downloads the parameters into a directory.
func (b *Bucket) readParameters(dir string) error {
	g, _, err := b.current()
	if err != nil {
		return err
	}
	f, isThere := g.find(index.ManifestFile)
	if !isThere {
		return fmt.Errorf("there is no index at %s", b.url)
	}
	return b.download(f, filepath.Join(dir, f.name))
}

// Acquire locks the index and downloads the current generation for writing. The copy of a new index
// is empty.
func (b *Bucket) Acquire() (*Copy, error) {
	held, err := b.lock()
	if err != nil {
		return nil, err
	}
	g, tag, err := b.current()
	if err != nil {
		return nil, errors.Join(err, held.release())
	}
	c, err := b.fetch(g, tag, true)
	if err != nil {
		return nil, errors.Join(err, held.release())
	}
	c.lock = held
	return c, nil
}
