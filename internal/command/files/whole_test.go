package files

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is read of a file that became shorter ends with an error, also where the file is compressed,
// or was read to its end before. One that grew ends well.
func TestTruncatedFiles(t *testing.T) {
	text := strings.Repeat("a line of a log\n", 1000)
	for _, c := range []struct {
		name     string
		packed   bool
		length   func(at, size int64) int64
		isBroken bool
	}{
		{"left alone", false, func(_, size int64) int64 { return size }, false},
		{"grown", false, func(_, size int64) int64 { return size + 10 }, false},
		{"emptied", false, func(_, _ int64) int64 { return 0 }, true},
		{"cut before what was read", false, func(at, _ int64) int64 { return at - 1 }, true},
		{"cut after what was read", false, func(at, size int64) int64 { return (at + size) / 2 }, true},
		{"cut by a byte", false, func(_, size int64) int64 { return size - 1 }, true},
		{"two members, left alone", true, func(_, size int64) int64 { return size }, false},
		{"cut between members", true, func(_, size int64) int64 { return size / 2 }, true},
	} {
		path := filepath.Join(t.TempDir(), "log")
		write(t, path, text, c.packed)
		r, err := Whole(func() (io.ReadCloser, error) { return Streams{}.OpenInput(path) })()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, c.length(100, info.Size()))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, r)
		if isBroken := errors.As(err, new(TruncatedError)); isBroken != c.isBroken {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// write writes a file, of two members of gzip if it is packed.
func write(t *testing.T, path, text string, packed bool) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !packed {
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
		return
	}
	for range 2 {
		z := gzip.NewWriter(f)
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
