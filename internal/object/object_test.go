package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A server has one object, and may be made to fail.
type server struct {
	mu       sync.Mutex
	body     []byte
	tag      string
	noRanges bool
	unsaid   bool // it does not say whether it has them
	noHead   bool
	noTag    bool
	asked    int                                                   // requests for bytes
	fault    func(asked int, w http.ResponseWriter, from int) bool // whether it has answered
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Query().Get("list-type") == "2" {
		s.list(w, r)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/absent") {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if r.Method == http.MethodHead && s.noHead {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	from, to := 0, len(s.body)
	if given := r.Header.Get("Range"); given != "" && !s.noRanges {
		fmt.Sscanf(given, "bytes=%d-%d", &from, &to)
		to++
	}
	if !s.noTag {
		w.Header().Set("ETag", `"`+s.tag+`"`)
		w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	}
	if !s.noRanges && !s.unsaid {
		w.Header().Set("Accept-Ranges", "bytes")
	}
	w.Header().Set("Content-Length", strconv.Itoa(to-from))
	if r.Method == http.MethodHead {
		return
	}
	s.asked++
	if match := r.Header.Get("If-Match"); match != "" && strings.Trim(match, `"`) != s.tag {
		w.Header().Del("Content-Length")
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	if s.fault != nil && s.fault(s.asked, w, from) {
		return
	}
	if r.Header.Get("Range") != "" && !s.noRanges {
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(s.body[from:to])
}

// begin has another version from now on. A request that was given up may still be answered.
func (s *server) begin(tag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.tag = 0, tag
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>false</IsTruncated>`)
	for _, key := range []string{"a/z.jsonl", "a/b.jsonl", "a/_SUCCESS", "a/.hidden/x", "a/c/", "a/c/d.jsonl",
		"e.jsonl", "br[1].jsonl", "br1.jsonl", "br[.jsonl", "q?.jsonl", "qq.jsonl"} {
		if strings.HasPrefix(key, r.URL.Query().Get("prefix")) {
			fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>1</Size></Contents>", key)
		}
	}
	fmt.Fprint(w, `</ListBucketResult>`)
}

// testPart is a part of the clients here.
const testPart = 64 << 10

// objectOf is as long as several parts and a bit.
func objectOf(parts int) []byte {
	body := make([]byte, parts*testPart+12345)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; i+8 <= len(body); i += 8 {
		body[i], body[i+3] = byte(rng.Uint32()), byte(i>>20)
	}
	return body
}

// begin starts the server and a client that does not wait.
func begin(t *testing.T, s *server) (c *Client, web, s3 string) {
	t.Helper()
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	c = NewClient(t.Context(), Options{Endpoint: at.URL, Region: "us-east-1"})
	c.part = testPart
	c.pause = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	return c, at.URL + "/bucket/x.jsonl?signature=s3cret", "s3://bucket/x.jsonl"
}

func read(c *Client, path string) ([]byte, error) {
	r, err := c.Open(path)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	return all, errors.Join(err, r.Close())
}

// TestReadsWhatIsThere, whole or in parts, from both kinds of places.
func TestReadsWhatIsThere(t *testing.T) {
	for _, body := range [][]byte{{}, []byte("one\n"), objectOf(0), objectOf(9)[:9*testPart], objectOf(20)} {
		s := &server{body: body, tag: "v1"}
		c, web, s3 := begin(t, s)
		for _, path := range []string{web, s3} {
			got, err := read(c, path)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes of %s: %d, %v", len(body), path, len(got), err)
			}
		}
		s.noRanges = true
		if got, err := read(c, web); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes in one piece: %d, %v", len(body), len(got), err)
		}
		s.noHead = true
		if got, err := read(c, web); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%d bytes without HEAD: %d, %v", len(body), len(got), err)
		}
	}
}

// TestGoesOnAfterFaults: parts that break off at any place, and servers that are busy, are asked
// again, and every byte comes once.
func TestGoesOnAfterFaults(t *testing.T) {
	body := objectOf(5)
	faults := map[string]func(w http.ResponseWriter, from int){
		"broken": func(w http.ResponseWriter, from int) {
			w.WriteHeader(http.StatusPartialContent)
			w.Write(body[from : from+1000]) // fewer than the head has promised
		},
		"busy": func(w http.ResponseWriter, _ int) {
			w.Header().Del("Content-Length")
			w.WriteHeader(http.StatusServiceUnavailable)
		},
		"gone": func(http.ResponseWriter, int) { panic(http.ErrAbortHandler) },
	}
	for name, fault := range faults {
		for at := range 2 {
			times := map[int]int{} // that a part has failed
			s := &server{body: body, tag: "v1", fault: func(_ int, w http.ResponseWriter, from int) bool {
				if times[from/testPart]++; times[from/testPart] > attempts-2 {
					return false
				}
				fault(w, from)
				return true
			}}
			c, web, s3 := begin(t, s)
			path := []string{web, s3}[at]
			if got, err := read(c, path); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s, %s: %d of %d bytes, %v", name, path, len(got), len(body), err)
			}
		}
	}
}

// TestGivesUp on what does not get better, and says where.
func TestGivesUp(t *testing.T) {
	body := objectOf(3)
	dead := func(_ int, w http.ResponseWriter, from int) bool {
		if from < testPart {
			return false
		}
		w.Header().Del("Content-Length")
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}
	c, web, s3 := begin(t, &server{body: body, tag: "v1", fault: dead})
	for _, path := range []string{web, s3} {
		got, err := read(c, path)
		if len(got) != testPart || err == nil || !strings.Contains(err.Error(), "at byte "+strconv.Itoa(testPart)) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the signature of an address is told: %v", err)
		}
	}
	for _, path := range []string{strings.Replace(web, "x.jsonl", "absent", 1), "s3://bucket/absent"} {
		if _, err := read(c, path); err == nil || !strings.Contains(err.Error(), "there is no such") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"s3://", "s3://bucket", "s3:///key"} {
		if _, err := c.Open(path); err == nil {
			t.Errorf("%s can be opened", path)
		}
	}
}

// TestRefusesTwoVersions: an object that changes while it is read is an error.
func TestRefusesTwoVersions(t *testing.T) {
	s := &server{body: objectOf(12), tag: "v1"}
	s.fault = func(asked int, _ http.ResponseWriter, _ int) bool {
		if asked == 9 {
			s.tag = "v2"
		}
		return false
	}
	c, web, s3 := begin(t, s)
	for _, path := range []string{web, s3} {
		s.begin("v1")
		got, err := read(c, path)
		if !errors.Is(err, store.ErrChanged) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
		if !bytes.Equal(got, s.body[:len(got)]) {
			t.Errorf("%s: bytes of two versions", path)
		}
	}
	before, err := c.Version(s3)
	if err != nil {
		t.Fatal(err)
	}
	s.begin("v3")
	if after, err := c.Version(s3); err != nil || after == before {
		t.Errorf("%q before and %q after: %v", before, after, err)
	}
}

// TestStops when it is told to, while a server does not answer.
func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped by interrupt")
	s := &server{body: objectOf(4), tag: "v1"}
	s.fault = func(asked int, _ http.ResponseWriter, _ int) bool {
		if asked == 2 {
			cancel(cause)
		}
		return false
	}
	at := httptest.NewServer(s)
	defer at.Close()
	c := NewClient(ctx, Options{})
	c.part = testPart
	if got, err := read(c, at.URL+"/x"); !errors.Is(err, cause) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestLists(t *testing.T) {
	c, web, _ := begin(t, &server{tag: "v1"})
	for path, want := range map[string]string{
		"s3://bucket/a/":           "a/b.jsonl a/c/d.jsonl a/z.jsonl",
		"s3://bucket/a/c":          "a/c",
		"s3://bucket/br[1].jsonl":  "br[1].jsonl",
		"s3://bucket/br[12].json*": "br1.jsonl",
		"s3://bucket/br[.jsonl":    "br[.jsonl",
		"s3://bucket/q?.jsonl":     "q?.jsonl",
		"s3://bucket/q*.jsonl":     "q?.jsonl qq.jsonl",
		"s3://bucket/a/*.jsonl":    "a/b.jsonl a/z.jsonl",
		"s3://bucket/*/*/?.jsonl":  "a/c/d.jsonl",
		"s3://bucket/e.jsonl":      "e.jsonl",
	} {
		got, err := c.List(path)
		if err != nil || strings.ReplaceAll(strings.Join(got.Paths, " "), "s3://bucket/", "") != want {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	for _, path := range []string{"s3://bucket/x*", "s3://bucket/none/", "s3://bucket/[", "s3://"} {
		if got, err := c.List(path); err == nil {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got, err := c.List(web); err != nil || len(got.Paths) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestEndpointsThatAreNone(t *testing.T) {
	for _, endpoint := range []string{"localhost:9000", "ftp://x", "http://", "http://x/path"} {
		if _, err := NewClient(t.Context(), Options{Endpoint: endpoint}).Open("s3://a/b"); err == nil ||
			!strings.Contains(err.Error(), "is no address of a server") {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}
