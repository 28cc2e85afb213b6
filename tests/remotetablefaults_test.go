package tests

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// half cuts an answer off in the middle.
type half struct {
	http.ResponseWriter
	left int
}

func (h *half) Write(p []byte) (int, error) {
	if len(p) > h.left {
		h.ResponseWriter.Write(p[:h.left])
		panic(http.ErrAbortHandler)
	}
	h.left -= len(p)
	return h.ResponseWriter.Write(p)
}

// TestTablesSurviveFaults: each part fails once, in one of several ways.
func TestTablesSurviveFaults(t *testing.T) {
	local, body := wideTable(t)
	var mu sync.Mutex
	failed := map[string]bool{}
	from := webFile(t, body, func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		mu.Lock()
		defer mu.Unlock()
		part := r.Header.Get("Range")
		if failed[part] || r.Method != http.MethodGet {
			return w
		}
		switch failed[part] = true; len(failed) % 4 {
		case 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			return &half{w, 5000}
		}
		return nil
	})
	want := succeed(t, "-q", "--to", "jsonl", local)
	if got := succeed(t, "-q", "--to", "jsonl", from.address); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if len(failed) < 8 {
		t.Errorf("only %d requests have failed", len(failed))
	}
}

// TestTablesThatChange while they are read are an error, after rows of one version alone.
func TestTablesThatChange(t *testing.T) {
	local, body := wideTable(t)
	want := succeed(t, "-q", "--to", "jsonl", local)
	other := bytes.Clone(body)
	for i := range 5000 { // of what the rows are in, beginning in the middle
		other[len(other)/2+i] ^= 1
	}
	for scheme, start := range buckettest.Kinds {
		server := start(t)
		server.Set("/bucket/wide.parquet", body)
		var asked atomic.Int32
		server.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Range")+r.Header.Get("X-Ms-Range") != "" && asked.Add(1) == 4 {
				server.Set("/bucket/wide.parquet", other)
			}
			return false
		}, nil)
		r := runWithCache(t, t.TempDir(), "", "--to", "jsonl", scheme+"://bucket/wide.parquet")
		if r.code != 4 || !strings.Contains(r.messages, "it has changed while it was read") ||
			!strings.HasPrefix(want, r.out) || r.out == "" {
			t.Errorf("%s: code %d, %d bytes: %s", scheme, r.code, len(r.out), r.messages)
		}
	}
}

// TestTablesWithoutParts are read whole from a server that does not say that it sends parts; one
// that says so and does not is an error.
func TestTablesWithoutParts(t *testing.T) {
	local, body := wideTable(t)
	want := succeed(t, "-q", "--to", "jsonl", local)
	whole := func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		r.Header.Del("Range")
		return w
	}
	unsaid := webFile(t, body, func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		return mute{whole(w, r)}
	})
	if got := succeed(t, "-q", "--to", "jsonl", unsaid.address); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	elsewhere := func(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
		from, to := 0, 0
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); n == 2 && from > 0 {
			r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from-1, to-1))
		}
		return w
	}
	for message, around := range map[string]func(http.ResponseWriter, *http.Request) http.ResponseWriter{
		"does not send parts, though it says so": whole, "sent other bytes than requested": elsewhere,
	} {
		r := runWithCache(t, t.TempDir(), "", "--to", "jsonl", webFile(t, body, around).address)
		if r.code != 1 || !strings.Contains(r.messages, message) || r.out != "" {
			t.Errorf("%d bytes, %d: %s", len(r.out), r.code, r.messages)
		}
	}
}

// mute does not say that parts are sent.
type mute struct{ http.ResponseWriter }

func (m mute) WriteHeader(status int) {
	m.Header().Del("Accept-Ranges")
	m.ResponseWriter.WriteHeader(status)
}
