package indexbucket

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

func TestLock(t *testing.T) {
	start(t)
	b := open(t)
	c, err := b.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Acquire()
	host, _ := os.Hostname()
	if !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	for _, want := range []string{url, host, "since 20", "index unlock " + url} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
	first.write(t, c.Dir)
	if err := errors.Join(c.Publish(), c.Close()); err != nil {
		t.Error(err)
	}
	if h, err := b.Holder(); h != nil || err != nil {
		t.Error(h, err)
	}
}

// A run whose lock was removed publishes nothing over what another one has published, and leaves
// the lock of that alone.
func TestLockIsBroken(t *testing.T) {
	for name, begin := range map[string]indexFiles{"a first generation": nil, "a later generation": first} {
		server, b := start(t), open(t)
		if begin != nil {
			mustTurn(t, b, begin)
		}
		slow, err := b.Acquire()
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Unlock(); err != nil {
			t.Fatal(err)
		}
		fast, err := b.Acquire()
		if err != nil {
			t.Fatal(err)
		}
		second.write(t, fast.Dir)
		if err := errors.Join(fast.Publish(), fast.Tidy()); err != nil {
			t.Fatal(err)
		}
		indexFiles{"MANIFEST": "slow", "log-1": "slow", "base-9-9": "slow"}.write(t, slow.Dir)
		if err := slow.Publish(); err == nil || !strings.Contains(err.Error(), "another run has published") {
			t.Error(name, err)
		}
		dir, err := slow.Keep()
		if err = errors.Join(err, slow.Close()); err != nil {
			t.Error(err)
		}
		if kept := read(t, dir); kept["MANIFEST"] != "slow" {
			t.Errorf("%s: kept is %v", name, kept)
		}
		if _, locked := server.Objects()["/bucket/some/idx/LOCK"]; !locked {
			t.Errorf("%s: the lock of the other run is gone", name)
		}
		if err := fast.Close(); err != nil {
			t.Error(err)
		}
		mustBe(t, second)
	}
}

// Where conditions are not kept, a lock is none.
func TestServerWithoutConditions(t *testing.T) {
	server, b := start(t), open(t)
	server.Unconditional = true
	if err := turn(t, b, first); err == nil || !strings.Contains(err.Error(), "If-None-Match") {
		t.Error(err)
	}
	if left := server.Objects(); len(left) > 0 {
		t.Error(left)
	}
}

// Whatever step is the first one that fails for good, the bucket has one generation or the other,
// whole, and the next run can go on.
func TestEachStepFails(t *testing.T) {
	for step := 1; ; step++ {
		server := start(t)
		mustTurn(t, open(t), first)
		var mu sync.Mutex
		steps, failing := 0, true
		server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if steps++; failing && steps >= step {
				w.WriteHeader(http.StatusForbidden)
				return true
			}
			return false
		}, nil)
		err := turn(t, open(t), second)
		mu.Lock()
		failing = false
		mu.Unlock()
		got, failed := inBucket(t)
		if failed != nil || !maps.Equal(got, first) && !maps.Equal(got, second) {
			t.Fatalf("step %d: %v, %v", step, got, failed)
		}
		if err == nil {
			if !maps.Equal(got, second) || step < 20 {
				t.Errorf("after %d steps nothing fails: %v", step, got)
			}
			return
		}
		if err := open(t).Unlock(); err != nil {
			t.Fatal(err)
		}
		third := indexFiles{"MANIFEST": "three", "log-3": "keys"}
		mustTurn(t, open(t), third)
		mustBe(t, third)
		if left := server.Objects(); len(left) != len(third)+1 {
			t.Errorf("step %d: there is %v", step, left)
		}
	}
}

// Each request fails once, before it is served or after. All is as if none had.
func TestEachRequestFailsOnce(t *testing.T) {
	for name, fail := range map[string]func(s *buckettest.Server, isFirst func(r *http.Request) bool){
		"busy": func(s *buckettest.Server, isFirst func(r *http.Request) bool) {
			s.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				if !isFirst(r) {
					return false
				}
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}, nil)
		},
		"the connection breaks": func(s *buckettest.Server, isFirst func(r *http.Request) bool) {
			s.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
				if isFirst(r) {
					panic(http.ErrAbortHandler)
				}
				return false
			}, nil)
		},
		"the connection breaks in the middle": func(s *buckettest.Server, isFirst func(r *http.Request) bool) {
			s.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				if !isFirst(r) {
					return false
				}
				if body := s.Objects()[s.ObjectOf(r)]; r.Method == http.MethodGet && body != nil {
					w.Header().Set("X-Goog-Generation", "7") // it is cut, and not wrong
					w.Header().Set("ETag", `"7"`)
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
					w.Write(body[:len(body)/2])
					http.NewResponseController(w).Flush()
				}
				r.Body.Read(make([]byte, 1))
				panic(http.ErrAbortHandler)
			}, nil)
		},
		"the answer is lost": func(s *buckettest.Server, isFirst func(r *http.Request) bool) {
			s.Disturb(nil, func(r *http.Request) {
				if isFirst(r) {
					panic(http.ErrAbortHandler)
				}
			})
		},
	} {
		server := start(t)
		var seen sync.Map
		fail(server, func(r *http.Request) bool {
			_, again := seen.LoadOrStore(r.Method+server.ObjectOf(r), true)
			return !again
		})
		before := indexFiles{"log-1": "one", "base-1-1": "filters"}
		after := indexFiles{"log-1": "two", "base-1-1": "filters"}
		mustTurn(t, open(t), before)
		mustTurn(t, open(t), after)
		if got, err := inBucket(t); err != nil || !maps.Equal(got, after) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if left := server.Objects(); len(left) != len(after)+1 {
			t.Errorf("%s: there is %v", name, left)
		}
	}
}
