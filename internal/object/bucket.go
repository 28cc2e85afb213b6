package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/hub"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A kind is a kind of bucket.
type kind struct {
	scheme      string // scheme of its URLs
	credentials string // where its credentials are configured
	// open creates the service. Its errors pass addresses, which may contain secrets, through tell.
	open func(transport http.RoundTripper, o Options, tell func(address string) string) (store.Service, error)
}

// kinds are all kinds of buckets.
var kinds = []kind{
	{scheme: "s3", credentials: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", open: openS3},
	{scheme: "gs", credentials: "GOOGLE_APPLICATION_CREDENTIALS", open: openGCS},
	{scheme: "az", credentials: "AZURE_STORAGE_CONNECTION_STRING", open: openAzure},
}

// kindOf returns the kind of bucket that a path is in.
func kindOf(path string) (k kind, ok bool) {
	scheme, _, ok := strings.Cut(path, "://")
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.scheme == scheme })
	if !ok || i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// IsInBucket reports whether a path is a bucket, or an object or prefix in one.
func IsInBucket(path string) bool {
	_, ok := kindOf(path)
	return ok
}

// example returns an example of an object's URL.
func (k kind) example() string { return k.scheme + "://bucket/key" }

// split parses the URL of an object or a prefix.
func (k kind) split(path string) (at store.Place, err error) {
	at.Bucket, at.Key, _ = strings.Cut(strings.TrimPrefix(path, k.scheme+"://"), "/")
	switch {
	case at.Bucket == "":
		err = fmt.Errorf("name a bucket and a key, as in %s", k.example())
	case strings.ContainsAny(at.Bucket, ":@"):
		err = fmt.Errorf("an address of a bucket has no user and no password: give them as %s", k.credentials)
	}
	return at, err
}

// services returns functions that create the service of each kind on first use.
func (c *Client) services() map[string]func() (store.Service, error) {
	of := map[string]func() (store.Service, error){}
	for _, k := range kinds {
		of[k.scheme] = sync.OnceValues(func() (store.Service, error) {
			return k.open(c.web.Transport, c.options, Name)
		})
	}
	return of
}

// A stored is an object in a bucket.
type stored struct {
	store.Service
	store.Place
}

func (o stored) stat(ctx context.Context) (store.Version, error) { return o.Stat(ctx, o.Place) }

func (o stored) get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error) {
	return o.Get(ctx, o.Place, of, from, to)
}

// inBucket parses the path of an object or a prefix, and returns the service of its bucket.
func (c *Client) inBucket(path string) (o stored, k kind, err error) {
	k, ok := kindOf(path)
	if !ok {
		return o, k, errors.New("only objects of buckets can be written, as in s3://bucket/key")
	}
	if o.Place, err = k.split(path); err == nil {
		o.Service, err = c.buckets[k.scheme]()
	}
	return o, k, err
}

// stored returns the object in a bucket with a path.
func (c *Client) stored(path string) (stored, error) {
	o, k, err := c.inBucket(path)
	if err == nil && o.Key == "" {
		err = fmt.Errorf("name a bucket and a key, as in %s", k.example())
	}
	return o, err
}

// ErrPattern is returned for an invalid pattern.
var ErrPattern = hub.ErrPattern

// listBucket returns the objects that a path matches, in the byte order of their names: the
// object with exactly that name; those below it, if it ends in a slash or is a bucket; or those
// that match it, if the key contains *, ? or [. Below a prefix it omits empty objects whose name
// ends in a slash.
func (c *Client) listBucket(of string) (l Listing, err error) {
	at, k, err := c.inBucket(of)
	if err != nil {
		return l, err
	}
	isPrefix, isPattern := at.Key == "" || strings.HasSuffix(at.Key, "/"), strings.ContainsAny(at.Key, "*?[")
	if !isPrefix && !isPattern {
		return Listing{Paths: []string{of}}, c.check(of)
	}
	prefix := at.Key
	if isPattern {
		prefix = at.Key[:strings.IndexAny(at.Key, "*?[")]
	}
	keys, err := c.keys(at, prefix)
	if err != nil {
		return l, err
	}
	for _, key := range keys {
		name := k.scheme + "://" + at.Bucket + "/" + key
		matches, _ := path.Match(at.Key, key)
		switch {
		case isPattern && key == at.Key:
			return Listing{Paths: []string{of}}, nil // as with files, an existing name is not a pattern
		case isPattern && matches:
			l.Paths = append(l.Paths, name)
		case !isPattern && !strings.HasSuffix(key, "/"):
			l.add(name, strings.TrimPrefix(key, prefix))
		}
	}
	if _, err := path.Match(at.Key, ""); isPattern && err != nil {
		return l, ErrPattern
	}
	return l.sorted("no object matches")
}

// keys returns the keys with a prefix.
func (c *requests) keys(of stored, prefix string) (all []string, err error) {
	for more := ""; ; {
		var page []string
		var next string
		err := c.retry(c.ctx, func(ctx context.Context) (err error) {
			page, next, err = of.Service.List(ctx, of.Bucket, prefix, more)
			return err
		})
		if all = append(all, page...); err != nil || next == "" {
			return all, err
		}
		more = next
	}
}
