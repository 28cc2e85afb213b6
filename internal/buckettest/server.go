// Package buckettest is a bucket in memory, for tests: a server of the requests that we make, without
// signatures, which knows conditions and can be made to fail.
package buckettest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
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
	objects map[string][]byte // by /bucket/key
	asked   []string          // method and path of each request
	dialect func(s *Server, r *http.Request, body []byte) answer
}

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

func start(t *testing.T, dialect func(*Server, *http.Request, []byte) answer) *Server {
	s := &Server{objects: map[string][]byte{}, dialect: dialect}
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
	if body == nil {
		delete(s.objects, path)
		return
	}
	s.objects[path] = body
}

// Asked returns the requests since it was called last, as "PUT /bucket/key".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
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
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	answer := s.dialect(s, r, body)
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
