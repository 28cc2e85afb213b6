// Package hftest is an in-memory Hugging Face Hub for tests: a server of the requests that list and
// read datasets, as described at https://huggingface.co/docs/hub/api, and a second server, the
// store of large files, that it redirects to. Both can be made to fail.
package hftest

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Token is the token that the server accepts.
const Token = "hf_sECRETtoken"

// large is the size from which on a file is in the store.
const large = 1 << 10

// A Server has datasets.
type Server struct {
	URL      string // of the Hub
	PageSize int    // files in a page of a listing

	hub, store *httptest.Server

	mu        sync.Mutex
	before    Before
	wrap      func(http.ResponseWriter) http.ResponseWriter
	datasets  map[string]*dataset
	objects   map[string][]byte // of the store, by hash
	signature int               // that the store accepts
	requests  []string          // method and path of each request
	leaked    []string          // requests to the store with a token
}

// Before is called before a request is served, by either server; true means that it has responded.
type Before func(w http.ResponseWriter, r *http.Request) bool

// A dataset has branches of commits of files.
type dataset struct {
	private, gated bool
	branches       map[string]string
	commits        map[string]map[string]file
}

// A file of a commit. A large one is in the store.
type file struct {
	body    []byte
	tag     string // the Hub's name for the contents: SHA-256 of a large file, else the Git hash
	isLarge bool
}

func newFile(body []byte) file {
	if len(body) < large {
		return file{body, gitHash(body), false}
	}
	return file{body, fmt.Sprintf("%x", sha256.Sum256(body)), true}
}

// Start starts both servers. The caller must call Close.
func Start() *Server {
	s := &Server{PageSize: 1000, datasets: map[string]*dataset{}, objects: map[string][]byte{}}
	s.store = httptest.NewServer(s.disturbed(s.serveStore))
	s.hub = httptest.NewServer(s.disturbed(s.serveHub))
	s.URL = s.hub.URL
	return s
}

// Close shuts both servers down.
func (s *Server) Close() {
	s.hub.Close()
	s.store.Close()
}

// New starts servers that end with the test, and sets the environment so that hf:// uses them
// without a token.
func New(t *testing.T) *Server {
	t.Helper()
	s := Start()
	t.Cleanup(s.Close)
	for name, value := range map[string]string{
		"HF_ENDPOINT": s.URL, "HF_TOKEN": "", "HF_TOKEN_PATH": "", "HF_HOME": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	return s
}

// Disturb sets the function called before each request; nil removes it.
func (s *Server) Disturb(before Before) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// Wrap makes both servers write responses through wrap. Before receives the wrapped writer too.
func (s *Server) Wrap(wrap func(http.ResponseWriter) http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrap = wrap
}

// IsStore reports whether a request is one to the store.
func IsStore(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/objects/") }

// Commit creates a commit of exactly these files on the branch.
func (s *Server) Commit(name, branch string, files map[string][]byte) (commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := s.datasets[name]
	if d == nil {
		d = &dataset{branches: map[string]string{}, commits: map[string]map[string]file{}}
		s.datasets[name] = d
	}
	h, tree := sha1.New(), map[string]file{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := newFile(files[path])
		fmt.Fprintf(h, "%q %s\n", path, f.tag)
		if tree[path] = f; f.isLarge {
			s.objects[f.tag] = f.body
		}
	}
	commit = fmt.Sprintf("%x", h.Sum(nil))
	d.branches[branch], d.commits[commit] = commit, tree
	return commit
}

// Restrict makes a dataset private, or gated: then only Token can read its files.
func (s *Server) Restrict(name string, private, gated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.datasets[name].private, s.datasets[name].gated = private, gated
}

// Expire invalidates all signed URLs handed out so far.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signature++
}

// Requests returns the requests since the last call, as "GET /datasets/a/b/resolve/main/x".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.requests
	s.requests = nil
	return asked
}

// Leaked returns the requests to the store that carried a token.
func (s *Server) Leaked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaked
}

func (s *Server) disturbed(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		before := s.before
		if s.wrap != nil {
			w = s.wrap(w)
		}
		s.requests = append(s.requests, r.Method+" "+r.URL.EscapedPath())
		s.mu.Unlock()
		if before == nil || !before(w, r) {
			serve(w, r)
		}
	}
}

func gitHash(body []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(body)), body...)))
}
