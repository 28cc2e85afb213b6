package memory_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/memorytest"
)

// A memFile is a log in memory.
type memFile struct {
	bytes []byte
	fail  error // error of the next write
}

func (m *memFile) ReadAt(p []byte, at int64) (int, error) {
	return bytes.NewReader(m.bytes).ReadAt(p, at)
}

func (m *memFile) WriteAt(p []byte, at int64) (int, error) {
	if m.fail != nil {
		return 0, m.fail
	}
	m.bytes = append(m.bytes, make([]byte, max(0, int(at)+len(p)-len(m.bytes)))...)
	return copy(m.bytes[at:], p), nil
}

func (m *memFile) Truncate(size int64) error {
	m.bytes = m.bytes[:min(int(size), len(m.bytes))]
	return nil
}

func (m *memFile) Sync() error { return nil }

func ofKind(kind memorytest.Kind) (memory.Index, error) { return kind.Begin() }

// logged returns a log of some records and a note, in several frames.
func logged(t *testing.T, kind memorytest.Kind) (file *memFile, length int64) {
	file = &memFile{}
	rng := rand.New(rand.NewPCG(3, 5))
	for range 2 {
		x, err := memory.Load(ofKind, kind, file, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if _, err := x.Observe(kind.Sketch(memorytest.WordsOf(rng)), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
			x.Pass(1)
		}
		if err := x.Note([]byte("a note")); err != nil {
			t.Fatal(err)
		}
		if length, err = x.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return file, length
}

// TestDamagedLogIsRefused checks that any changed byte, any other file length, any other committed
// length, and a log of another kind are noticed.
func TestDamagedLogIsRefused(t *testing.T) {
	for name, kind := range memorytest.Kinds {
		t.Run(name, func(t *testing.T) {
			file, length := logged(t, kind)
			refused := func(what string, at int64, file io.ReaderAt, length int64) {
				t.Helper()
				x, err := memory.Read(ofKind, kind, file, length, nil)
				if !errors.Is(err, memory.ErrCorrupt) || x != nil {
					t.Fatalf("%s %d: %v, and an index: %t", what, at, err, x != nil)
				}
			}
			for at := range file.bytes {
				if at > 500 && at%3 > 0 {
					continue
				}
				file.bytes[at] ^= 0x10
				refused("another byte at", int64(at), file, length)
				file.bytes[at] ^= 0x10
				refused("a file of length", int64(at), bytes.NewReader(file.bytes[:at]), length)
			}
			for _, n := range []int64{1, 47, 50, length - 1, length + 1, length + 100} {
				refused("in place of the length", n, file, n)
			}
			for other, ofOther := range memorytest.Kinds {
				log, length := logged(t, ofOther)
				_, err := memory.Read(ofKind, kind, log, length, nil)
				if other != name && !errors.Is(err, memory.ErrCorrupt) && !errors.Is(err, memory.ErrVersion) {
					t.Errorf("a log of %s: %v", other, err)
				}
			}
		})
	}
}

// TestLogThatCannotBeWritten checks that what cannot be written is not remembered, and that this
// also holds for everything later, since it is not known how much was written.
func TestLogThatCannotBeWritten(t *testing.T) {
	for name, kind := range memorytest.Kinds {
		t.Run(name, func(t *testing.T) {
			rng, file, full := rand.New(rand.NewPCG(1, 9)), &memFile{}, errors.New("no space left")
			x, err := memory.Load(ofKind, kind, file, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if _, err := x.Observe(kind.Sketch(memorytest.WordsOf(rng)), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
			file.fail = full
			if _, err := x.Flush(); !errors.Is(err, full) {
				t.Error(err)
			}
			file.fail = nil
			if _, err := x.Flush(); !errors.Is(err, full) {
				t.Error(err)
			}
			n, err := x.Observe(kind.Sketch(memorytest.WordsOf(rng)), make([]memory.Match, 1))
			if n != 0 || !errors.Is(err, full) {
				t.Error(n, err)
			}
		})
	}
}
