// Package buckettest provides in-memory buckets for tests: servers that implement the requests we
// make to each service, without checking signatures. They support conditions and can be made to
// fail.
package buckettest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A Server has buckets of any name.
type Server struct {
	URL string

	// Unconditional makes it ignore the conditions of writes, as some servers do.
	Unconditional bool

	mu       sync.Mutex
	before   Before
	after    After
	objects  map[string][]byte            // by /bucket/key
	writes   map[string]int               // number of writes of each, ever
	uploads  map[string]map[int][]byte    // parts by upload id; nil once it has ended
	blocks   map[string]map[string][]byte // of Azure objects, by id
	requests []string                     // returned by Asked
	sent     int                          // returned by Sent
	dialect  dialect
}

// A dialect implements a service. It is called with the server locked.
type dialect struct {
	answer   func(s *Server, r *http.Request, body []byte) answer
	objectOf func(r *http.Request) string // the /bucket/key of a request
}

// Kinds are the kinds of buckets, by URL scheme.
var Kinds = map[string]func(t *testing.T) *Server{"s3": S3, "gs": GCS, "az": Azure}

// An answer is a dialect's response to a request.
type answer struct {
	status int
	header map[string]string
	body   []byte
}

// Before is called before a request is served; true means that it has responded.
type Before func(w http.ResponseWriter, r *http.Request) bool

// After is called before the response to a served request is sent; it may panic to lose the
// response.
type After func(r *http.Request)

func start(t *testing.T, speaks dialect) *Server {
	s := &Server{
		objects: map[string][]byte{}, writes: map[string]int{}, uploads: map[string]map[int][]byte{},
		blocks: map[string]map[string][]byte{}, dialect: speaks,
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Disturb sets the functions called before and after each request; each may be nil.
func (s *Server) Disturb(before Before, after After) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after = before, after
}

func (s *Server) disturbances() (Before, After) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.before, s.after
}

// Objects returns a copy of all objects, by /bucket/key.
func (s *Server) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.objects)
}

// Set replaces an object, or removes it if body is nil.
func (s *Server) Set(path string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(path, body)
}

func (s *Server) put(path string, body []byte) {
	if s.writes[path]++; body == nil {
		delete(s.objects, path)
		return
	}
	s.objects[path] = body
}

// keys returns the sorted keys of a bucket with a prefix.
func (s *Server) keys(bucket, prefix string) (keys []string) {
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		if key, ok := strings.CutPrefix(path, bucket); ok && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

// page returns the first two keys after one, and where the next page begins, or "" for the last.
func (s *Server) page(bucket, prefix, after string) (keys []string, next string) {
	keys = slices.DeleteFunc(s.keys(bucket, prefix), func(key string) bool { return key <= after })
	if len(keys) > 2 {
		keys, next = keys[:2], keys[1]
	}
	return keys, next
}

// ObjectOf returns what a request is about, as /bucket/key.
func (s *Server) ObjectOf(r *http.Request) string { return s.dialect.objectOf(r) }

// Writes reports whether a request would create an object.
func Writes(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodPost
}

// partOf responds with a range, or everything.
func partOf(object []byte, of string, header map[string]string) answer {
	var from, to int
	if n, _ := fmt.Sscanf(of, "bytes=%d-%d", &from, &to); n == 2 && from < len(object) {
		return answer{http.StatusPartialContent, header, object[from:min(to+1, len(object))]}
	}
	return answer{http.StatusOK, header, object}
}

// verb returns the method of a request. Whatever creates an object is a PUT.
func verb(r *http.Request) string {
	if Writes(r) {
		return http.MethodPut
	}
	return r.Method
}

// Requests returns the requests since the last call, as "PUT /bucket/key".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

// Sent returns how many bytes of objects were sent since the last call.
func (s *Server) Sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = 0
	return sent
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	before, after := s.disturbances()
	if before != nil && before(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, verb(r)+" "+s.dialect.objectOf(r))
	answer := s.dialect.answer(s, r, body)
	if r.Method == http.MethodGet {
		s.sent += len(answer.body)
	}
	s.mu.Unlock()
	if after != nil {
		after(r)
	}
	for name, value := range answer.header {
		w.Header().Set(name, value)
	}
	if answer.body != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.body)))
	}
	w.WriteHeader(answer.status)
	if r.Method != http.MethodHead {
		w.Write(answer.body)
	}
}
