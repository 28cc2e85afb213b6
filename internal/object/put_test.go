package object

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A bucket takes objects, and may be made to fail.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	parts   map[int][]byte // of the upload that is open
	open    bool
	aborted int
	fault   func(w http.ResponseWriter, r *http.Request) bool // whether it has answered
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodHead && strings.HasPrefix(r.URL.Path, "/none"):
		w.WriteHeader(http.StatusNotFound)
		return
	case r.Method == http.MethodHead || r.Method == http.MethodGet:
		return
	}
	if b.fault != nil && b.fault(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.Method == http.MethodPost && query.Has("uploads"):
		b.parts, b.open = map[int][]byte{}, true
		fmt.Fprint(w, `<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>`)
	case r.Method == http.MethodPut && query.Has("partNumber"):
		number, _ := strconv.Atoi(query.Get("partNumber"))
		b.parts[number] = body
		w.Header().Set("ETag", fmt.Sprintf(`"p%d"`, number))
	case r.Method == http.MethodPost:
		var whole []byte
		for number := 1; number <= len(b.parts); number++ {
			if !strings.Contains(string(body), fmt.Sprintf("p%d", number)) {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			whole = append(whole, b.parts[number]...)
		}
		b.objects[r.URL.Path], b.open = whole, false
		fmt.Fprint(w, `<CompleteMultipartUploadResult><Bucket>bucket</Bucket><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
	case r.Method == http.MethodDelete:
		b.aborted, b.open = b.aborted+1, false
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut:
		b.objects[r.URL.Path] = body
		w.Header().Set("ETag", `"x"`)
	}
}

func newBucket(t *testing.T) (*bucket, *Client) {
	t.Helper()
	for _, name := range []string{
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/none")
	b := &bucket{objects: map[string][]byte{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	c := NewClient(t.Context(), Options{Endpoint: server.URL, Region: "us-east-1"})
	c.send = 1000
	c.pause = func(context.Context, time.Duration) error { return nil }
	return b, c
}

func drawn(n int) []byte {
	rng, b := rand.New(rand.NewPCG(uint64(n), 1)), make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func TestPut(t *testing.T) {
	b, c := newBucket(t)
	for _, size := range []int{0, 1, 999, 1000, 1001, 2000, 12345} {
		want := drawn(size)
		file := bytes.NewReader(append(slices.Clone(want), "not this"...))
		if err := c.Put("s3://bucket/a/b.gz", file, int64(size)); err != nil {
			t.Fatal(size, err)
		}
		if got := b.objects["/bucket/a/b.gz"]; !bytes.Equal(got, want) || b.open {
			t.Errorf("%d bytes: %d came, an upload is open: %v", size, len(got), b.open)
		}
	}
}

// What breaks off, or cannot be taken now, is sent again.
func TestPutAgain(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"503":        func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		"broken off": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		for _, size := range []int{500, 5500} {
			b, c := newBucket(t)
			var asked sync.Map // how often each thing was asked for
			b.fault = func(w http.ResponseWriter, r *http.Request) bool {
				times, _ := asked.LoadOrStore(r.Method+r.URL.String(), new(atomic.Int32))
				if times.(*atomic.Int32).Add(1) > 2 {
					return false
				}
				fail(w)
				return true
			}
			want := drawn(size)
			if err := c.Put("s3://bucket/x", bytes.NewReader(want), int64(size)); err != nil {
				t.Errorf("%s: %d bytes: %v", name, size, err)
			}
			if got := b.objects["/bucket/x"]; !bytes.Equal(got, want) {
				t.Errorf("%s: %d of %d bytes", name, len(got), size)
			}
		}
	}
}

// What fails for good leaves no object, and no upload.
func TestPutFails(t *testing.T) {
	for name, at := range map[string]func(r *http.Request) bool{
		"a part":    func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "3" },
		"all parts": func(r *http.Request) bool { return r.URL.Query().Has("partNumber") },
		"the end": func(r *http.Request) bool {
			return r.Method == http.MethodPost && r.URL.Query().Has("uploadId")
		},
		"the upload": func(r *http.Request) bool { return r.URL.Query().Has("uploads") },
	} {
		b, c := newBucket(t)
		b.fault = func(w http.ResponseWriter, r *http.Request) bool {
			if at(r) {
				w.WriteHeader(http.StatusForbidden)
			}
			return at(r)
		}
		err := c.Put("s3://bucket/x", bytes.NewReader(drawn(5000)), 5000)
		if err == nil || !strings.Contains(err.Error(), "s3://bucket/x: the server does not allow it") {
			t.Errorf("%s: %v", name, err)
		}
		if len(b.objects) > 0 || b.open || name != "the upload" && b.aborted != 1 {
			t.Errorf("%s: %d objects, open: %v, %d uploads ended", name, len(b.objects), b.open, b.aborted)
		}
	}
}

func TestPutIsStopped(t *testing.T) {
	b, c := newBucket(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	c.ctx = ctx
	b.fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") == "2" {
			cancel(io.ErrClosedPipe)
		}
		return false
	}
	if err := c.Put("s3://bucket/x", bytes.NewReader(drawn(9000)), 9000); err == nil ||
		!strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Error(err)
	}
	if len(b.objects) > 0 || b.open || b.aborted != 1 {
		t.Errorf("%d objects, open: %v, %d uploads ended", len(b.objects), b.open, b.aborted)
	}
}

func TestWhereNothingCanBePut(t *testing.T) {
	_, c := newBucket(t)
	for _, path := range []string{"https://example.org/x", "s3://bucket", "s3://bucket/", "s3:///x", "s3://bucket/o/"} {
		if err := c.Put(path, bytes.NewReader(nil), 0); err == nil {
			t.Error(path, "is written")
		}
		if err := c.CheckBucket(path); err == nil {
			t.Error(path, "can be written")
		}
	}
	if err := c.CheckBucket("s3://bucket/x"); err != nil {
		t.Error(err)
	}
	if err := c.CheckBucket("s3://none/x"); err == nil || !strings.Contains(err.Error(), "there is no bucket none") {
		t.Error(err)
	}
}
