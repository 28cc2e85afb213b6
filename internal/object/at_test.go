package object

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestAtReadsAnyBytes(t *testing.T) {
	content := []byte(strings.Repeat("0123456789", 1000))
	broken := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !broken { // what breaks off is gone on with
			broken = true
			w.Header().Set("Content-Length", "100")
			w.Header().Set("Last-Modified", time.Unix(5, 0).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[5000:5010])
			return
		}
		http.ServeContent(w, r, "", time.Unix(5, 0), bytes.NewReader(content))
	}))
	defer server.Close()
	c := NewClient(t.Context(), Options{})
	at, err := c.At(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ from, length, got int }{
		{5000, 100, 100}, {0, 7, 7}, {9990, 20, 10}, {10000, 5, 0}, {20000, 5, 0},
	} {
		p := make([]byte, r.length)
		n, err := at.ReadAt(p, int64(r.from))
		if n != r.got || (err == io.EOF) != (n < r.length) || err != nil && err != io.EOF {
			t.Fatalf("%d from %d: %d, %v", r.length, r.from, n, err)
		}
		if n > 0 && !bytes.Equal(p[:n], content[r.from:r.from+n]) {
			t.Errorf("%d from %d: %q", r.length, r.from, p[:n])
		}
	}
	if _, err := at.ReadAt(make([]byte, 5), -1); err == nil {
		t.Error("byte -1 was read")
	}
}

func TestAtNeedsParts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "all of it")
	}))
	defer server.Close()
	if _, err := NewClient(t.Context(), Options{}).At(server.URL); !errors.Is(err, ErrInOnePiece) {
		t.Errorf("%v", err)
	}
}

// TestEndsAreAtHand: what stands at the ends is asked for once, and every byte is the object's.
func TestEndsAreAtHand(t *testing.T) {
	content := []byte(strings.Repeat("0123456789", 1000))
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			asked.Add(1)
		}
		http.ServeContent(w, r, "", time.Unix(5, 0), bytes.NewReader(content))
	}))
	defer server.Close()
	at, err := NewClient(t.Context(), Options{}).At(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ first, last, asked int }{
		{0, 0, 0}, {16, 1000, 2}, {5000, 5000, 1}, {1 << 30, 1 << 30, 1},
	} {
		asked.Store(0)
		ends, err := at.Ends(int64(c.first), int64(c.last))
		if err != nil || int(asked.Load()) != c.asked {
			t.Errorf("%+v: %d requests, %v", c, asked.Load(), err)
		}
		last := len(content) - c.last
		if c.asked == 1 {
			last = 0
		}
		for _, r := range []struct{ from, to int }{
			{0, 0}, {0, 16}, {0, 17}, {8, 16}, {16, 17}, {8990, 9010}, {9000, 10000}, {9999, 10000}, {0, 10000},
			{10000, 10000},
		} {
			asked.Store(0)
			p := make([]byte, r.to-r.from)
			err := ends.Fetch(t.Context(), p, int64(r.from))
			if err != nil || !bytes.Equal(p, content[r.from:r.to]) {
				t.Errorf("%+v, %+v: %v", c, r, err)
			}
			isAtHand := r.to <= c.first || r.from >= last || r.from == r.to
			if n := asked.Load(); n > 1 || (n == 0) != isAtHand {
				t.Errorf("%+v, %+v: %d requests", c, r, n)
			}
		}
		if n, err := ends.ReadAt(make([]byte, 5), 20000); n != 0 || err != io.EOF {
			t.Errorf("after the end: %d, %v", n, err)
		}
	}
}

// TestFetchEnds when it is no longer wanted.
func TestFetchEnds(t *testing.T) {
	asked := make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			asked <- struct{}{}
			<-r.Context().Done()
			return
		}
		http.ServeContent(w, r, "", time.Unix(5, 0), strings.NewReader("content"))
	}))
	defer server.Close()
	at, err := NewClient(t.Context(), Options{}).At(server.URL + "/x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-asked
		stop()
	}()
	if err := at.Fetch(ctx, make([]byte, 5), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
