package framelog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckEnd cuts a log that was committed in its middle at every byte behind that, as a kill
// does, and appends what no run writes.
func TestCheckEnd(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := NewWriter(file, 0, Header{"tests", 1, [3]uint64{2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	var lengths []int64
	for range 2 {
		w.BeginEntry()
		w.Uint64(5)
		if err := errors.Join(w.EndEntry(), w.Note([]byte("a note"))); err != nil {
			t.Fatal(err)
		}
		length, err := w.FlushWith(Counts{Records: 1})
		if err != nil {
			t.Fatal(err)
		}
		lengths = append(lengths, length)
	}
	whole, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	for end := lengths[0]; end <= lengths[1]; end++ {
		if err := NewReader(bytes.NewReader(whole[:end]), end).CheckEnd(lengths[0], 0); err != nil {
			t.Errorf("cut at %d of %d: %v", end, lengths, err)
		}
		if end < lengths[1] {
			continue
		}
		for _, more := range []string{"\x00", strings.Repeat("\x00", 4096), "frax", "fram\x00", "fram\x08"} {
			size := end + int64(len(more))
			err := NewReader(bytes.NewReader(append(whole[:end:end], more...)), size).CheckEnd(lengths[0], 0)
			if want := fmt.Sprintf("at byte %d: %d bytes follow", end, len(more)); !errors.Is(err, ErrCorrupt) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%q appended: %v, want %s", more, err, want)
			}
		}
	}
	changed := bytes.Clone(whole)
	changed[lengths[0]+headBytes] ^= 1
	if err := NewReader(bytes.NewReader(changed), lengths[1]).CheckEnd(lengths[0], 0); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a frame with a wrong checksum: %v", err)
	}
}
