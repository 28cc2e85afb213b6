// Package indexbucket keeps indexes in buckets. A run fetches one into a directory of this machine,
// works on it there, and publishes what has become of it.
//
// An index in a bucket is a sequence of generations, of which the object CURRENT names the files of
// the newest. A generation counts when CURRENT names it, and CURRENT is replaced by one write under
// the condition that it is the one that was fetched: so a generation is there as a whole or not at
// all, whatever breaks off. The object LOCK keeps a second writer out. docs/design/format.md
// defines both.
package indexbucket

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// A Bucket is an index in a bucket. It is safe for concurrent use.
type Bucket struct {
	client *object.Client
	url    string // without a slash at its end
	cache  cache
}

// Open names an index in a bucket, as s3://bucket/prefix, and the directory below which its copies
// are. It asks for nothing yet.
func Open(client *object.Client, url, cacheDir string) (*Bucket, error) {
	trimmed := strings.TrimRight(url, "/")
	_, rest, _ := strings.Cut(trimmed, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if !object.IsInBucket(url) || bucket == "" || key == "" || strings.ContainsAny(key, "*?[\n\t") {
		return nil, fmt.Errorf("%s is no index in a bucket: name a bucket and a prefix, as in s3://bucket/index", url)
	}
	return &Bucket{client, trimmed, cacheFor(cacheDir, trimmed)}, nil
}

func (b *Bucket) path(name string) string { return b.url + "/" + name }

// current reads which generation counts, and the tag of the object that says so. Without one it is
// generation 0, which has no files.
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

// replace makes an object in place of the one with that tag, or if it is empty of none. An answer
// that was lost is made up for: no two programs write the same bytes.
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

// Read fetches the generation that counts, to be asked only.
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
		// A writer has published, and removed what is needed no more: an object that was there when
		// its reading began, some services say, is another one. If it has not, the next turn ends
		// with the error.
		last = g.number
	}
}

// Take takes the lock and fetches the generation that counts, to be written to. If there is none
// the copy is empty.
func (b *Bucket) Take() (*Copy, error) {
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
