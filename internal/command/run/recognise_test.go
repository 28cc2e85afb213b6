package run

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An input that cannot be read for a moment is not taken for a new one. One that is missing or
// damaged is left to the run, which meets the same.
func TestRecogniseWithErrors(t *testing.T) {
	h := journal.NewHasher("\n")
	io.WriteString(h, strings.Repeat("a record\n", 100))
	known := []*journal.Content{h.Content()}
	of := func(err error) error { return &fs.PathError{Op: "x", Path: "day.jsonl", Err: err} }
	for _, c := range []struct {
		name       string
		open, read error
		fails      bool
	}{
		{"a lack of descriptors", of(syscall.EMFILE), nil, true},
		{"an error of the disk", nil, of(syscall.EIO), true},
		{"no file", of(syscall.ENOENT), nil, false},
		{"no right", of(syscall.EACCES), nil, false},
		{"damage", nil, io.ErrUnexpectedEOF, false},
	} {
		r := recognition{
			from: &Source{Paths: []string{"day.jsonl"}}, matcher: journal.NewMatcher("\n", known),
		}
		r.inputs = []stream.Input{{Name: "day.jsonl", Open: func() (io.ReadCloser, error) {
			if c.open != nil {
				return nil, c.open
			}
			return io.NopCloser(io.MultiReader(strings.NewReader("a record\n"), iotest.ErrReader(c.read))), nil
		}}}
		atEnd, err := r.readInputs()
		if atEnd || (err != nil) != c.fails {
			t.Errorf("%s: to the end: %v, error %v", c.name, atEnd, err)
		}
		if c.fails && !errors.Is(err, c.open) && !errors.Is(err, c.read) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
