package object

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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
	if _, err := NewClient(t.Context(), Options{}).At(server.URL); !errors.Is(err, errInOnePiece) {
		t.Errorf("%v", err)
	}
}
