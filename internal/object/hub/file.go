package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// ErrNoParts is returned if a server sends another range of a file than requested.
var ErrNoParts = errors.New("the server has not sent the part that it was asked for")

// A File is a file at a commit. It is safe for concurrent use.
type File struct {
	hub *Hub
	of  Address

	mu       sync.Mutex
	location string // URL of the contents if they are not on the Hub; its signature expires
	tag      string // tag of the contents on that server; empty if unknown
}

// File returns the file at a pinned address.
func (h *Hub) File(of Address) *File { return &File{hub: h, of: of} }

// Stat returns the version of the file.
func (f *File) Stat(ctx context.Context) (store.Version, error) {
	a, err := f.hub.request(ctx, http.MethodHead, f.url(), http.Header{})
	if err != nil {
		return store.Version{}, err
	}
	a.drop()
	if err := f.hub.explain(a, f.of); err != nil {
		return store.Version{}, err
	}
	switch {
	case a.commit == "":
		return store.Version{}, errors.New("the server does not say of which commit the file is, as the Hub does: " +
			"check HF_ENDPOINT")
	case f.isOther(a):
		return store.Version{}, store.ErrChanged
	}
	f.mu.Lock()
	f.location, f.tag = a.location, ""
	f.mu.Unlock()
	ranges := a.location != "" || a.Header.Get("Accept-Ranges") == "bytes"
	return store.Version{Size: a.size, Tag: a.tag, Ranges: ranges}, nil
}

// url returns where the Hub serves the file, or redirects from.
func (f *File) url() string {
	return fmt.Sprintf("%s/datasets/%s/resolve/%s/%s", f.hub.endpoint, f.of.Dataset, url.PathEscape(f.of.Revision),
		escaped(f.of.Path))
}

// isOther reports whether the Hub answered with a file of another commit. Answers of the store do
// not name a commit.
func (f *File) isOther(a *answer) bool {
	return a.commit != f.of.Revision && (a.commit != "" || f.hub.has(a.Request.URL))
}

// mostSignatures is how often a new signature is requested for a part. Signatures are valid for an
// hour.
const mostSignatures = 3

// Get returns bytes [from, to) of a version of the file, or all of it if it does not support
// ranges.
func (f *File) Get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error) {
	at := f.where()
	a, err := f.request(ctx, at, of, from, to)
	for tries := 0; err == nil && at != "" && hasEnded(a.StatusCode) && tries < mostSignatures; tries++ {
		a.drop()
		if at, err = f.findAgain(ctx, of, at); err == nil {
			a, err = f.request(ctx, at, of, from, to)
		}
	}
	if err != nil {
		return nil, err
	}
	if err := f.check(a, of, from); err != nil {
		a.drop()
		return nil, err
	}
	return a.Body, nil
}

func (f *File) where() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.location
}

// request requests the bytes from the last known location.
func (f *File) request(ctx context.Context, at string, of store.Version, from, to int64) (*answer, error) {
	header := http.Header{}
	if of.Ranges {
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	}
	if at == "" {
		at = f.url()
	}
	return f.hub.request(ctx, http.MethodGet, at, header)
}

// hasEnded reports whether the status is one that the store returns for an expired signature.
func hasEnded(status int) bool {
	return status == http.StatusForbidden || status == http.StatusUnauthorized || status == http.StatusGone
}

// findAgain asks the Hub for the location of the file again, unless another goroutine has done so
// since it was at.
func (f *File) findAgain(ctx context.Context, of store.Version, at string) (string, error) {
	if now := f.where(); now != at {
		return now, nil
	}
	now, err := f.Stat(ctx)
	if err == nil && now != of {
		err = store.ErrChanged
	}
	return f.where(), err
}

// check returns an error if the bytes are not those requested.
func (f *File) check(a *answer, of store.Version, from int64) error {
	if err := f.hub.explain(a, f.of); err != nil {
		return err
	}
	if f.isOther(a) || a.tag != "" && a.tag != of.Tag || !f.isOfStore(a) {
		return store.ErrChanged
	}
	if !of.Ranges {
		return nil
	}
	var first, last, size int64
	n, _ := fmt.Sscanf(a.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	switch {
	case a.StatusCode != http.StatusPartialContent || n != 3 || first != from:
		return ErrNoParts
	case of.Size >= 0 && size != of.Size:
		return store.ErrChanged
	}
	return nil
}

// isOfStore reports whether the store returns the same tag as before.
func (f *File) isOfStore(a *answer) bool {
	tag := a.Header.Get("ETag")
	if tag == "" || f.hub.has(a.Request.URL) {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tag == "" {
		f.tag = tag
	}
	return f.tag == tag
}
