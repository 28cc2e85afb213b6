package object

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

func newSmall(t *testing.T) (*buckettest.Server, *Client) {
	t.Helper()
	server := buckettest.S3(t)
	c := NewClient(t.Context(), Options{})
	c.pause = func(context.Context, time.Duration) error { return nil }
	return server, c
}

const small = "s3://bucket/a/small"

// A write under a condition is done if that holds, and not otherwise.
func TestReplace(t *testing.T) {
	_, c := newSmall(t)
	if _, _, err := c.Get(small, 10); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Replace(small, []byte("x"), "0123"); !errors.Is(err, ErrOther) {
		t.Error("what is not there is replaced:", err)
	}
	tag, err := c.Replace(small, []byte("one"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Replace(small, []byte("x"), ""); !errors.Is(err, ErrOther) {
		t.Error("it is made twice:", err)
	}
	body, read, err := c.Get(small, 10)
	if err != nil || string(body) != "one" || read != tag {
		t.Errorf("%q, %q is not %q, %v", body, read, tag, err)
	}
	if _, err := c.Replace(small, []byte("two"), tag); err != nil {
		t.Error(err)
	}
	if _, err := c.Replace(small, []byte("x"), tag); !errors.Is(err, ErrOther) {
		t.Error("another version is replaced:", err)
	}
	if body, _, err := c.Get(small, 3); err != nil || string(body) != "two" {
		t.Errorf("%q, %v", body, err)
	}
	if _, _, err := c.Get(small, 2); err == nil || !strings.Contains(err.Error(), "more than 2 bytes") {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	server, c := newSmall(t)
	server.Set("/bucket/a/small", []byte("mine"))
	ctx, cancel := context.WithCancel(t.Context())
	c.ctx = ctx
	cancel() // what is left behind is removed all the same
	for _, other := range []string{"his", "mine too"} {
		if removed, err := c.RemoveIf(small, []byte(other)); removed || err != nil {
			t.Error(other, removed, err)
		}
	}
	if removed, err := c.RemoveIf(small, []byte("mine")); !removed || err != nil || len(server.Objects()) > 0 {
		t.Error(removed, err, server.Objects())
	}
	if removed, err := c.RemoveIf(small, []byte("mine")); removed || err != nil {
		t.Error(removed, err)
	}
	server.Set("/bucket/a/small", []byte("mine"))
	for range 2 {
		if err := c.Remove(small); err != nil || len(server.Objects()) > 0 {
			t.Error(err, server.Objects())
		}
	}
}

// What breaks off, or cannot be answered now, is asked again.
func TestSmallAgain(t *testing.T) {
	server, c := newSmall(t)
	var asked atomic.Int32
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		switch asked.Add(1) % 4 {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler)
		case 3:
			w.WriteHeader(http.StatusConflict)
			return r.Method == http.MethodPut
		default:
			return false
		}
		return true
	}, nil)
	if _, err := c.Replace(small, []byte("one"), ""); err != nil {
		t.Error(err)
	}
	asked.Store(0)
	server.Disturb(nil, func(*http.Request) {
		if asked.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
	})
	if body, _, err := c.Get(small, 10); err != nil || string(body) != "one" {
		t.Errorf("%q, %v", body, err)
	}
	asked.Store(0)
	if err := c.Remove(small); err != nil {
		t.Error(err)
	}
	asked.Store(0)
	if _, err := c.Replace(small, []byte("one"), ""); !errors.Is(err, ErrOther) {
		t.Error("who must know whether a lost answer was one has to look:", err)
	}
}
