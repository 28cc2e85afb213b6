// Package s3test is a bucket in memory, for tests: a server of the requests that we make, without
// signatures, which knows conditions and can be made to fail.
package s3test

import (
	"crypto/md5"
	"encoding/xml"
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
	objects map[string][]byte // by /bucket/key
	asked   []string          // method and path of each request
}

// Before is asked before a request is served; true means that it has answered.
type Before func(w http.ResponseWriter, r *http.Request) bool

// After is asked before the answer to a request is sent that was served; it may lose it by a panic.
type After func(r *http.Request)

// New starts a server that ends with the test. The environment is set such that s3:// is there.
func New(t *testing.T) *Server {
	t.Helper()
	s := &Server{objects: map[string][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL_S3": "",
		"AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_ENDPOINT_URL": s.URL, "AWS_REGION": "us-east-1",
	} {
		t.Setenv(name, value)
	}
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
	status, header, answer := s.answer(r, body)
	if after != nil {
		after(r)
	}
	for name, value := range header {
		w.Header().Set(name, value)
	}
	if answer != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(answer)
	}
}

func (s *Server) answer(r *http.Request, body []byte) (status int, header map[string]string, answer []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	s.asked = append(s.asked, r.Method+" "+path)
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	object, there := s.objects[path]
	switch {
	case key == "" && r.Method == http.MethodGet:
		return http.StatusOK, nil, s.list("/"+bucket+"/", r.URL.Query().Get("prefix"))
	case key == "":
		return http.StatusOK, nil, nil
	case r.Method == http.MethodDelete:
		delete(s.objects, path)
		return http.StatusNoContent, nil, nil
	case r.Method == http.MethodPut && !s.Unconditional && !holds(r.Header, object, there):
		return http.StatusPreconditionFailed, nil, problem("PreconditionFailed")
	case r.Method == http.MethodPut:
		s.objects[path] = body
		return http.StatusOK, map[string]string{"ETag": tagOf(body)}, nil
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusNotImplemented, nil, problem("NotImplemented")
	case !there:
		return http.StatusNotFound, nil, problem("NoSuchKey")
	case !holds(r.Header, object, there):
		return http.StatusPreconditionFailed, nil, problem("PreconditionFailed")
	}
	header = map[string]string{"ETag": tagOf(object), "Last-Modified": "Tue, 24 Nov 2026 00:00:00 GMT"}
	var from, to int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 && from < len(object) {
		return http.StatusPartialContent, header, object[from:min(to+1, len(object))]
	}
	return http.StatusOK, header, object
}

// holds reports whether the condition of a request does.
func holds(header http.Header, object []byte, there bool) bool {
	match := header.Get("If-Match")
	return (header.Get("If-None-Match") != "*" || !there) && (match == "" || there && match == tagOf(object))
}

func tagOf(object []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(object)) }

func problem(code string) []byte {
	return fmt.Appendf(nil, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

func (s *Server) list(bucket, prefix string) []byte {
	type entry struct {
		Key  string
		Size int
	}
	var result struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []entry
	}
	for _, path := range slices.Sorted(maps.Keys(s.objects)) {
		if key, ok := strings.CutPrefix(path, bucket); ok && strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, entry{key, len(s.objects[path])})
		}
	}
	text, err := xml.Marshal(result)
	if err != nil {
		panic("s3test: " + err.Error()) // strings can be marshalled
	}
	return text
}
