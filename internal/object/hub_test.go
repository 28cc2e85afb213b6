package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/hftest"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// atHub starts a Hub with one dataset, and a client that does not wait.
func atHub(t *testing.T, files map[string][]byte) (server *hftest.Server, commit string, c *Client) {
	t.Helper()
	server = hftest.New(t)
	server.Wrap(func(w http.ResponseWriter) http.ResponseWriter { return &disturbed{ResponseWriter: w} })
	commit = server.Commit("org/set", "main", files)
	return server, commit, hubClient(t)
}

func hubClient(t *testing.T) *Client {
	c := NewClient(t.Context(), Options{})
	c.part = testPart
	c.pause = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	return c
}

const hubFiles = "hf://datasets/org/set/"

// TestHubReadsWhatIsThere: what is in Git, and what is in the store.
func TestHubReadsWhatIsThere(t *testing.T) {
	files := map[string][]byte{
		"empty": {}, "small": []byte("one\n"), "large": objectOf(20), "even": objectOf(9)[:9*testPart],
		"odd/a b?#%[].x": objectOf(1),
	}
	server, commit, c := atHub(t, files)
	for path, body := range files {
		for _, at := range []string{"", "@main", "@" + commit} {
			got, err := read(c, "hf://datasets/org/set"+at+"/"+path)
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("%s%s: %d bytes of %d, %v", path, at, len(got), len(body), err)
			}
		}
	}
	if resolved := countOf(server.Requests(), "/revision/"); resolved != 1 {
		t.Errorf("main was resolved %d times", resolved)
	}
}

func countOf(asked []string, what string) (n int) {
	for _, a := range asked {
		if strings.Contains(a, what) {
			n++
		}
	}
	return n
}

// hubFaults are what may become of a request.
var hubFaults = map[string]func(w http.ResponseWriter, r *http.Request){
	"gone": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	"busy": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	"limited": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	},
	"broken": func(w http.ResponseWriter, _ *http.Request) { w.(*disturbed).cut = true },
}

// TestHubGoesOnAfterFaults: each request fails once, in each way, and what is listed and read is
// the same.
func TestHubGoesOnAfterFaults(t *testing.T) {
	files := map[string][]byte{
		"a/small": []byte("one\n"), "a/large": objectOf(3), "a/b/large": objectOf(2), "c": objectOf(1),
	}
	server, _, _ := atHub(t, files)
	server.PageSize = 1
	for name, fault := range hubFaults {
		failed := true
		for at := 1; failed; at++ {
			var mu sync.Mutex
			asked := 0
			failed = false
			server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				mu.Lock()
				asked++
				isIt := asked == at
				failed = failed || isIt
				mu.Unlock()
				if isIt {
					fault(w, r)
				}
				return isIt && name != "broken"
			})
			c := hubClient(t)
			found, err := c.List(hubFiles + "a")
			if err != nil || len(found.Paths) != 3 || !found.IsDirectory {
				t.Fatalf("%s at %d: %+v, %v", name, at, found, err)
			}
			for _, path := range found.Paths {
				_, file, _ := strings.Cut(path, "/a/")
				if got, err := read(c, path); err != nil || !bytes.Equal(got, files["a/"+file]) {
					t.Fatalf("%s at %d, %s: %d bytes, %v", name, at, path, len(got), err)
				}
			}
		}
	}
}

// TestHubGivesUp on what does not get better, and tells neither a token nor a signature.
func TestHubGivesUp(t *testing.T) {
	server, _, _ := atHub(t, map[string][]byte{"large": objectOf(3)})
	t.Setenv("HF_TOKEN", hftest.Token)
	for name, fault := range hubFaults {
		server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			var from int
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d", &from)
			if isIt := hftest.IsStore(r) && from >= testPart; isIt {
				fault(w, r)
				return name != "broken"
			}
			return false
		})
		got, err := read(hubClient(t), hubFiles+"large")
		if len(got) != testPart || err == nil || strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	server.Disturb(nil)
	server.Close()
	if _, err := read(hubClient(t), hubFiles+"large"); err == nil || strings.Contains(err.Error(), "sECRET") {
		t.Errorf("%v", err)
	}
}

// TestHubRefusesTwoVersions: whatever says that a part is of another file, or of none.
func TestHubRefusesTwoVersions(t *testing.T) {
	small, large := bytes.Repeat([]byte("x"), 1000), objectOf(12)
	for name, other := range map[string]func(h http.Header){
		"tag":    func(h http.Header) { h.Set("ETag", `"other"`) },
		"commit": func(h http.Header) { h.Set("X-Repo-Commit", strings.Repeat("0", 40)) },
		"size":   func(h http.Header) { h.Set("Content-Range", "bytes 65536-131071/99") },
		"place":  func(h http.Header) { h.Set("Content-Range", "bytes 0-65535/798777") },
		"linked": func(h http.Header) { h.Set("X-Linked-ETag", `"other"`) },
	} {
		for path, body := range map[string][]byte{"small": small, "large": large} {
			server, _, c := atHub(t, map[string][]byte{"small": small, "large": large})
			var mu sync.Mutex
			got := 0
			server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if r.Method == http.MethodGet && (hftest.IsStore(r) || strings.Contains(r.URL.Path, "resolve")) {
					got++
				}
				if len(body) == len(small) && got == 1 || got == 9 {
					w.(*disturbed).change = other
				}
				return false
			})
			isSmall := path == "small"
			hasIt := map[string]bool{"tag": true, "commit": isSmall, "size": true, "place": true, "linked": isSmall}
			read, err := read(c, hubFiles+path)
			if (err != nil) != hasIt[name] {
				t.Errorf("%s of %s: %d bytes, %v", name, path, len(read), err)
			}
			if err != nil && !errors.Is(err, store.ErrChanged) && !errors.Is(err, errNoParts) {
				t.Errorf("%s of %s: %v", name, path, err)
			}
			if !bytes.Equal(read, body[:len(read)]) {
				t.Errorf("%s of %s: bytes of two files", name, path)
			}
		}
	}
}

// A disturbed answer has another head, or breaks off after some bytes.
type disturbed struct {
	http.ResponseWriter
	change func(http.Header)
	cut    bool
}

func (w *disturbed) Write(p []byte) (int, error) {
	if w.cut {
		w.ResponseWriter.Write(p[:len(p)/2])
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return w.ResponseWriter.Write(p)
}

func (w *disturbed) WriteHeader(status int) {
	if w.change != nil {
		w.change(w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}
