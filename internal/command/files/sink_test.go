package files

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A file that will be synced is on its way to the disk while it grows, and only then.
func TestSinkBeginsWriting(t *testing.T) {
	for _, durable := range []bool{true, false} {
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s, err := newSink(store.Of(f), compress.Method{}, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.durable = durable
		var want []byte
		for i := range 5 {
			part := bytes.Repeat([]byte{byte(i)}, writeback/2+1)
			want = append(want, part...)
			if n, err := s.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if begun := s.flushed > 0 && s.length-s.flushed < writeback; begun != durable || s.length != uint64(len(want)) {
			t.Errorf("durable %t: begun with %d of %d bytes", durable, s.flushed, s.length)
		}
		if got, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the file has %d of %d bytes, %v", len(got), len(want), err)
		}
	}
	startWriteback(os.Stdin) // whatever it is: nothing to do, no panic
}
