package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// ofEachKind tests each kind of buckets. at is what paths begin with, of a bucket that is there.
func ofEachKind(t *testing.T, test func(t *testing.T, server *buckettest.Server, c *Client, at string)) {
	if len(buckettest.Kinds) != len(kinds) {
		t.Errorf("of %d kinds of buckets %d are tested", len(kinds), len(buckettest.Kinds))
	}
	for scheme, start := range buckettest.Kinds {
		t.Run(scheme, func(t *testing.T) {
			server := start(t)
			c := NewClient(t.Context(), Options{})
			c.part, c.send = testPart, 1000
			c.pause = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
			test(t, server, c, scheme+"://bucket/")
		})
	}
}

// failing has each request fail in each way, as often as it is made again.
func failing(server *buckettest.Server) {
	var mu sync.Mutex
	times := map[string]int{}
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		times[r.Method+r.URL.String()+r.Header.Get("Range")+r.Header.Get("X-Ms-Range")]++
		n := times[r.Method+r.URL.String()+r.Header.Get("Range")+r.Header.Get("X-Ms-Range")]
		mu.Unlock()
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler)
		case 3:
			w.WriteHeader(http.StatusTooManyRequests)
		case 4:
			if r.Method != http.MethodGet {
				return false
			}
			w.Header().Set("Content-Length", "100000")
			w.WriteHeader(http.StatusPartialContent)
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	}, nil)
}

// What is in a bucket of any kind is read, byte for byte, whatever breaks off.
func TestKindsRead(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		for _, body := range [][]byte{{}, []byte("one\n"), objectOf(0), objectOf(9)[:9*testPart], objectOf(20)} {
			for _, key := range []string{"x.jsonl", "a/b c+%41?#&=ä.jsonl"} {
				server.Set("/bucket/"+key, body)
				server.Disturb(nil, nil)
				if got, err := read(c, at+key); err != nil || !bytes.Equal(got, body) {
					t.Errorf("%d bytes of %s: %d, %v", len(body), key, len(got), err)
				}
				failing(server)
				if got, err := read(c, at+key); err != nil || !bytes.Equal(got, body) {
					t.Errorf("%d bytes of %s, with faults: %d, %v", len(body), key, len(got), err)
				}
			}
		}
	})
}

// An object that is replaced while it is read is an error, and never half of one and half of the
// other.
func TestKindsRefuseTwoVersions(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		body := objectOf(20)
		server.Set("/bucket/x", body)
		before, err := c.Version(at + "x")
		if err != nil {
			t.Fatal(err)
		}
		var asked atomic.Int64
		server.Disturb(func(http.ResponseWriter, *http.Request) bool {
			if asked.Add(1) == 9 {
				server.Set("/bucket/x", slices.Concat(body[:testPart], []byte("other"), body[testPart+5:]))
			}
			return false
		}, nil)
		got, err := read(c, at+"x")
		if !errors.Is(err, store.ErrChanged) || !bytes.Equal(got, body[:len(got)]) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if after, err := c.Version(at + "x"); err != nil || after == before {
			t.Errorf("%q before and %q after: %v", before, after, err)
		}
	})
}

// Small and large objects are sent, whatever breaks off, and nothing is left of what fails.
func TestKindsPut(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		for i, size := range []int{0, 1, 999, 1000, 1001, 2000, 12345, 500, 5500} {
			for _, key := range []string{"a/b.gz", "a/b c+%41?#&=ä.gz"} {
				if i == 7 {
					failing(server)
				}
				want := drawn(size)
				file := bytes.NewReader(append(slices.Clone(want), "not this"...))
				if err := c.Put(at+key, file, int64(size)); err != nil {
					t.Errorf("%d bytes: %v", size, err)
				}
				if got := server.Objects()["/bucket/"+key]; !bytes.Equal(got, want) || server.OpenUploads() > 0 {
					t.Errorf("%d bytes to %s: %d came, %d uploads are open", size, key, len(got), server.OpenUploads())
				}
			}
		}
		for _, path := range []string{strings.TrimSuffix(at, "/"), at, at + "o/"} {
			if err := c.Put(path, bytes.NewReader(nil), 0); err == nil {
				t.Error(path, "is written")
			}
		}
		none := strings.Replace(at, "bucket", "none", 1) + "x"
		if err := c.CheckBucket(none); err == nil || !strings.Contains(err.Error(), "there is no bucket none") {
			t.Error(err)
		}
		if err := c.CheckBucket(at + "x"); err != nil {
			t.Error(err)
		}
	})
}

// Of an object that is refused, or whose sending is stopped, nothing is there.
func TestKindsPutFails(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		for refused := 1; refused <= 7; refused++ { // begun, five parts, made
			var asked atomic.Int64
			key := fmt.Sprintf("put.%d.fails", refused) // in no id of a part, as far as these are random
			server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.String(), key) { // a part of the object before, which comes late
					return false
				}
				isRefused := asked.Add(1) == int64(refused)
				if isRefused {
					w.WriteHeader(http.StatusForbidden)
				}
				return isRefused
			}, nil)
			err := c.Put(at+key, bytes.NewReader(drawn(5000)), 5000)
			if asked.Load() < int64(refused) && err == nil { // it takes fewer requests
				server.Set("/bucket/"+key, nil)
				continue
			}
			if err == nil || !strings.Contains(err.Error(), at+key+": ") {
				t.Errorf("request %d: %v", refused, err)
			}
			if len(server.Objects()) > 0 || server.OpenUploads() > 0 {
				t.Errorf("request %d: %d objects, %d uploads", refused, len(server.Objects()), server.OpenUploads())
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		c.ctx = ctx
		var asked atomic.Int64
		server.Disturb(func(http.ResponseWriter, *http.Request) bool {
			if asked.Add(1) == 3 {
				cancel(io.ErrClosedPipe)
			}
			return false
		}, nil)
		err := c.Put(at+"x", bytes.NewReader(drawn(9000)), 9000)
		if err == nil || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
			t.Error(err)
		}
		if len(server.Objects()) > 0 || server.OpenUploads() > 0 {
			t.Errorf("%d objects, %d uploads", len(server.Objects()), server.OpenUploads())
		}
	})
}

// Programs agree on what a small object says.
func TestKindsReplace(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		failing(server)
		small := at + "a/small"
		if _, _, err := c.Get(small, 10); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		foreign, err := c.ForeignTag(small)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Replace(small, []byte("x"), foreign); !errors.Is(err, ErrOther) {
			t.Error("what is not there is replaced:", err)
		}
		tag, err := c.Replace(small, []byte("one"), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"", foreign} {
			if _, err := c.Replace(small, []byte("x"), other); !errors.Is(err, ErrOther) {
				t.Errorf("with the tag %q: %v", other, err)
			}
		}
		if body, read, err := c.Get(small, 10); err != nil || string(body) != "one" || read != tag {
			t.Errorf("%q, %q is not %q, %v", body, read, tag, err)
		}
		if _, err := c.Replace(small, []byte("two"), tag); err != nil {
			t.Error(err)
		}
		if _, err := c.Replace(small, []byte("x"), tag); !errors.Is(err, ErrOther) {
			t.Error("another version is replaced:", err)
		}
		if removed, err := c.RemoveIf(small, []byte("one")); removed || err != nil {
			t.Error(removed, err)
		}
		if removed, err := c.RemoveIf(small, []byte("two")); !removed || err != nil {
			t.Error(removed, err)
		}
		if err := c.Remove(small); err != nil || len(server.Objects()) > 0 {
			t.Error(err, server.Objects())
		}
	})
}

// A listing has all objects, in the order of their names, of however many pages it is.
func TestKindsList(t *testing.T) {
	ofEachKind(t, func(t *testing.T, server *buckettest.Server, c *Client, at string) {
		for _, key := range []string{"a/z.jsonl", "a/b.jsonl", "a/_SUCCESS", "a/.hidden/x", "a/c/", "a/c/d.jsonl",
			"e.jsonl", "br[1].jsonl", "br1.jsonl", "q?.jsonl", "qq.jsonl", "ä&+.jsonl"} {
			server.Set("/bucket/"+key, []byte{})
		}
		failing(server)
		for path, want := range map[string]string{
			"a/": "a/b.jsonl a/c/d.jsonl a/z.jsonl", "br[1].jsonl": "br[1].jsonl", "br[12].json*": "br1.jsonl",
			"q*.jsonl": "q?.jsonl qq.jsonl", "*/*/?.jsonl": "a/c/d.jsonl", "e.jsonl": "e.jsonl", "ä*": "ä&+.jsonl",
			"": "a/b.jsonl a/c/d.jsonl a/z.jsonl br1.jsonl br[1].jsonl e.jsonl q?.jsonl qq.jsonl ä&+.jsonl",
		} {
			got, err := c.List(at + path)
			if err != nil || strings.ReplaceAll(strings.Join(got.Paths, " "), at, "") != want {
				t.Errorf("%s: %+v, %v", path, got, err)
			}
		}
		for _, path := range []string{"x*", "none/", "[", "absent"} {
			if got, err := c.List(at + path); err == nil {
				t.Errorf("%s: %+v", path, got)
			}
		}
	})
}
