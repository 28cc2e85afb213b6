// Package hftest is the Hub of Hugging Face in memory, for tests: a server of the requests with
// which datasets are listed and read, as https://huggingface.co/docs/hub/api describes them, and
// the store of large files, another server, to which it leads. Both can be made to fail.
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

// Token is the one that the server knows.
const Token = "hf_sECRETtoken"

// large is from which size on a file is in the store.
const large = 1 << 10

// A Server has datasets.
type Server struct {
	URL      string // of the Hub
	PageSize int    // files of one page of a listing

	hub, store *httptest.Server

	mu        sync.Mutex
	before    Before
	wrap      func(http.ResponseWriter) http.ResponseWriter
	datasets  map[string]*dataset
	objects   map[string][]byte // of the store, by their hashes
	signature int               // that the store knows
	asked     []string          // method and path of each request
	leaked    []string          // requests to the store that had a token
}

// Before is asked before a request is served, by either server; true means that it has answered.
type Before func(w http.ResponseWriter, r *http.Request) bool

// A dataset has branches, which are commits, which are files.
type dataset struct {
	private, gated bool
	branches       map[string]string
	commits        map[string]map[string]file
}

// A file of a commit. A large one is in the store.
type file struct {
	body    []byte
	tag     string // what the Hub calls the contents: SHA-256 of a large file, and else what Git calls it
	isLarge bool
}

func newFile(body []byte) file {
	if len(body) < large {
		return file{body, gitHash(body), false}
	}
	return file{body, fmt.Sprintf("%x", sha256.Sum256(body)), true}
}

// Start starts the two servers. Close must be called.
func Start() *Server {
	s := &Server{PageSize: 1000, datasets: map[string]*dataset{}, objects: map[string][]byte{}}
	s.store = httptest.NewServer(s.disturbed(s.serveStore))
	s.hub = httptest.NewServer(s.disturbed(s.serveHub))
	s.URL = s.hub.URL
	return s
}

// Close ends both servers.
func (s *Server) Close() {
	s.hub.Close()
	s.store.Close()
}

// New starts servers that end with the test. The environment is set such that hf:// is there, and
// that there is no token.
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

// Disturb has both servers ask before each request from now on; nil asks no more.
func (s *Server) Disturb(before Before) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
}

// Wrap has answers of both servers written by what wrap makes of their writers, which Before is
// given too.
func (s *Server) Wrap(wrap func(http.ResponseWriter) http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrap = wrap
}

// IsStore reports whether a request is one to the store.
func IsStore(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/objects/") }

// Commit makes a commit of these files, and nothing else, and has the branch be it.
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

// Restrict has a dataset be private, or gated: then its files are there for Token alone.
func (s *Server) Restrict(name string, private, gated bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.datasets[name].private, s.datasets[name].gated = private, gated
}

// Expire has the store forget the signatures of all addresses that were given out.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signature++
}

// Asked returns the requests since it was called last, as "GET /datasets/a/b/resolve/main/x".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// Leaked returns the requests with a token that have come to the store.
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
		s.asked = append(s.asked, r.Method+" "+r.URL.EscapedPath())
		s.mu.Unlock()
		if before == nil || !before(w, r) {
			serve(w, r)
		}
	}
}

func gitHash(body []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(body)), body...)))
}
