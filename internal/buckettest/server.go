// Package buckettest has buckets in memory, for tests: servers of the requests that we make, in the
// dialect of each service, without signatures, which know conditions and can be made to fail.
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

	// Unconditional has it ignore the conditions of writes, as some servers do.
	Unconditional bool

	mu      sync.Mutex
	before  Before
	after   After
	objects map[string][]byte            // by /bucket/key
	writes  map[string]int               // of each of them, ever
	uploads map[string]map[int][]byte    // their parts, by their id; nil for one that has ended
	blocks  map[string]map[string][]byte // of objects of Azure, by their id
	asked   []string                     // what Asked returns
	sent    int                          // what Sent returns
	dialect dialect
}

// A dialect is how a service is spoken to. It is asked while the server is locked.
type dialect struct {
	answer   func(s *Server, r *http.Request, body []byte) answer
	objectOf func(r *http.Request) string // /bucket/key that a request is about
}

// Kinds are the kinds of buckets, by the scheme of their addresses.
var Kinds = map[string]func(t *testing.T) *Server{"s3": S3, "gs": GCS, "az": Azure}

// An answer is what a dialect says to a request.
type answer struct {
	status int
	header map[string]string
	body   []byte
}

// Before is asked before a request is served; true means that it has answered.
type Before func(w http.ResponseWriter, r *http.Request) bool

// After is asked before the answer to a request is sent that was served; it may lose it by a panic.
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

// Disturb has the server ask before and after each request from now on; each may be nil.
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

// Objects are a copy of all objects, by /bucket/key.
func (s *Server) Objects() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.objects)
}

// Set replaces an object, and removes it if body is nil.
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

// keys are those of a bucket that begin with a prefix, in their order.
func (s *Server) keys(bucket, prefix string) (keys []string) {
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		if key, ok := strings.CutPrefix(path, bucket); ok && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	return keys
}

// page is the first two of these keys after one, and where the next page begins: empty on the last.
func (s *Server) page(bucket, prefix, after string) (keys []string, next string) {
	keys = slices.DeleteFunc(s.keys(bucket, prefix), func(key string) bool { return key <= after })
	if len(keys) > 2 {
		keys, next = keys[:2], keys[1]
	}
	return keys, next
}

// ObjectOf is what a request is about, as /bucket/key.
func (s *Server) ObjectOf(r *http.Request) string { return s.dialect.objectOf(r) }

// Writes reports whether a request would make an object.
func Writes(r *http.Request) bool {
	return r.Method == http.MethodPut || r.Method == http.MethodPost
}

// partOf answers with the bytes of a range, or with all.
func partOf(object []byte, of string, header map[string]string) answer {
	var from, to int
	if n, _ := fmt.Sscanf(of, "bytes=%d-%d", &from, &to); n == 2 && from < len(object) {
		return answer{http.StatusPartialContent, header, object[from:min(to+1, len(object))]}
	}
	return answer{http.StatusOK, header, object}
}

// verb is the method of a request. What makes an object is a PUT, by whatever method.
func verb(r *http.Request) string {
	if Writes(r) {
		return http.MethodPut
	}
	return r.Method
}

// Asked returns the requests since it was called last, as "PUT /bucket/key".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// Sent returns how many bytes of objects were sent since it was called last.
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
	s.asked = append(s.asked, verb(r)+" "+s.dialect.objectOf(r))
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
