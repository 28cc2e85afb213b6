package object

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/hftest"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// TestHubSignsAgain: a signature that has ended in the middle of a file is asked for again; that of
// another file is not taken.
func TestHubSignsAgain(t *testing.T) {
	body := objectOf(20)
	server, commit, c := atHub(t, map[string][]byte{"large": body})
	var mu sync.Mutex
	asked := 0
	server.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if hftest.IsStore(r) {
			if asked++; asked == 5 || asked == 20 {
				server.Expire()
			}
		}
		return false
	})
	if got, err := read(c, hubFiles+"large"); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d of %d bytes, %v", len(got), len(body), err)
	}
	asked = 0
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 9 {
			server.Expire()
		}
		if asked > 9 && r.Method == http.MethodHead {
			w.Header().Set("X-Repo-Commit", commit)
			w.Header().Set("X-Linked-ETag", "other")
			w.Header().Set("X-Linked-Size", "5")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(http.StatusOK)
			return true
		}
		return false
	})
	if got, err := read(c, hubFiles+"large"); !errors.Is(err, store.ErrChanged) {
		t.Errorf("%d of %d bytes, %v", len(got), len(body), err)
	}
}

// TestHubWaits as long as it is told to, in either way, but not for ever.
func TestHubWaits(t *testing.T) {
	server, _, _ := atHub(t, map[string][]byte{"small": []byte("one\n")})
	for _, c := range []struct {
		header, value string
		want          time.Duration // 0 if it does not wait
	}{
		{"Retry-After", "17", 17 * time.Second},
		{"RateLimit", `"resolvers";r=0;t=55`, 55 * time.Second},
		{"Retry-After", "301", 0},
		{"Retry-After", "99999999999", firstPause},
		{"Retry-After", "Wed, 25 Nov 2026 00:00:00 GMT", firstPause},
		{"X-Nothing", "", firstPause},
	} {
		limited := true
		server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
			if !limited {
				return false
			}
			limited = false
			w.Header().Set(c.header, c.value)
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		client, waited, told := hubClient(t), time.Duration(0), ""
		client.pause = func(_ context.Context, long time.Duration) error { waited = long; return nil }
		client.waiting = func(why error) { told = why.Error() }
		_, err := read(client, hubFiles+"small")
		if waited != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s %s: waited for %v, %v", c.header, c.value, waited, err)
		}
		if c.want == 0 && !strings.Contains(err.Error(), "set HF_TOKEN") {
			t.Errorf("%s %s: %v", c.header, c.value, err)
		}
		if (told != "") != (c.want >= quietTime) {
			t.Errorf("%s %s: told %q", c.header, c.value, told)
		}
	}
}

// TestTokenGoesToTheHubAlone: not to the store, nor to a host below that of the Hub, nor to another
// port of it; but it is sent where the Hub leads to itself.
func TestTokenGoesToTheHubAlone(t *testing.T) {
	server, _, _ := atHub(t, map[string][]byte{"small": []byte("one\n"), "large": objectOf(2)})
	t.Setenv("HF_TOKEN", hftest.Token)
	server.Restrict("org/set", true, true)
	c := hubClient(t)
	for _, path := range []string{"small", "large"} {
		if _, err := read(c, hubFiles+path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if leaked := server.Leaked(); len(leaked) > 0 {
		t.Errorf("the token has come to the store: %q", leaked)
	}
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if rest, isOld := strings.CutPrefix(r.URL.Path, "/datasets/old/name"); isOld {
			http.Redirect(w, r, "/datasets/org/set"+rest, http.StatusTemporaryRedirect)
			return true
		}
		if rest, isOld := strings.CutPrefix(r.URL.Path, "/api/datasets/old/name"); isOld {
			http.Redirect(w, r, "/api/datasets/org/set"+rest, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	if got, err := read(c, "hf://datasets/old/name/large"); err != nil || len(got) != len(objectOf(2)) {
		t.Errorf("of a dataset that has another name now: %d bytes, %v", len(got), err)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the token has come to another port")
		}
	}))
	defer elsewhere.Close()
	server.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, elsewhere.URL+"/x?token=sECRET", http.StatusFound)
		return true
	})
	if _, err := hubClient(t).List(hubFiles); err == nil || strings.Contains(err.Error(), "sECRET") {
		t.Errorf("a listing from elsewhere: %v", err)
	}
}
