package object

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// breaking has a server send the head of its first answers, some bytes, and no more.
func breaking(times, bytes int) func(s *server) {
	return func(s *server) {
		s.fault = func(asked int, w http.ResponseWriter, from int) bool {
			if asked > times {
				return false
			}
			if from > 0 && !s.noRanges {
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(s.body[from : from+bytes])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}
}

// TestInOnePiece: what breaks off before its first byte is asked for again, and the rest of what
// breaks off later, if the server knows parts without saying so.
func TestInOnePiece(t *testing.T) {
	body := objectOf(3)
	for name, c := range map[string]struct {
		fault    func(s *server)
		noRanges bool
		noTag    bool
		got      int // bytes before an error
		asked    int
	}{
		"at once":               {fault: breaking(attempts-1, 0), noRanges: true, got: len(body), asked: attempts},
		"at once, for ever":     {fault: breaking(attempts, 0), noRanges: true, got: 0, asked: attempts},
		"later":                 {fault: breaking(1, 1000), noRanges: true, got: 1000, asked: 2},
		"later, parts":          {fault: breaking(3*attempts, 1000), got: len(body), asked: 3*attempts + 1},
		"later, parts, no tags": {fault: breaking(1, 1000), noTag: true, got: 1000, asked: 1},
	} {
		s := &server{body: body, tag: "v1", noRanges: c.noRanges, unsaid: true, noTag: c.noTag}
		c.fault(s)
		client, web, _ := begin(t, s)
		got, err := read(client, web)
		if !bytes.Equal(got, body[:c.got]) || (err == nil) != (c.got == len(body)) || s.asked != c.asked {
			t.Errorf("%s: %d of %d bytes after %d requests, %v", name, len(got), len(body), s.asked, err)
		}
		place := "at byte " + strconv.Itoa(c.got) + ": the connection broke off"
		if err != nil && !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := &server{body: body, tag: "v1", unsaid: true}
	s.fault = func(_ int, w http.ResponseWriter, from int) bool {
		if s.tag == "v2" {
			return false
		}
		s.tag = "v2"
		w.Write(body[:1000])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	client, web, _ := begin(t, s)
	if got, err := read(client, web); len(got) != 1000 || !errors.Is(err, store.ErrChanged) {
		t.Errorf("%d bytes of two versions, %v", len(got), err)
	}
}
