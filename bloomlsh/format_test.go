package bloomlsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// TestFormat checks that indexes of every format version stay readable, and that the same bytes are
// written as ever. If it fails, the format has changed without a new version. With
// MITHRIL_WRITE_FORMAT=1 it writes the present version's directory.
func TestFormat(t *testing.T) {
	for name, p := range formatIndexes() {
		dir := formatDir(name)
		if os.Getenv("MITHRIL_WRITE_FORMAT") != "" {
			os.RemoveAll(dir)
			os.MkdirAll(filepath.Dir(dir), 0o777)
			writeFormat(t, dir, p)
		}
		again := filepath.Join(t.TempDir(), "idx")
		writeFormat(t, again, p)
		names, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range names {
			stored, _ := os.ReadFile(filepath.Join(dir, entry.Name()))
			written, err := os.ReadFile(filepath.Join(again, entry.Name()))
			if err != nil || string(stored) != string(written) {
				t.Errorf("%s: is written otherwise now (%v)", filepath.Join(dir, entry.Name()), err)
			}
		}
		checkFormat(t, dir, p)
	}
}

// formatIndexes returns the parameters of the stored indexes. The classic one has a single
// generation, since such a filter is never small.
func formatIndexes() map[string]Params {
	classic := smallParams
	classic.Filter, classic.OnFull, classic.Capacity = FilterClassic, OnFullRefuse, formatRecords
	doubling := Params{Bands: 3, Votes: 2, Capacity: 40, FPRate: lsh.MinFPRate, Filter: FilterTagged,
		Remember: RememberAll, OnFull: OnFullGrow, Growth: GrowthDoubling}
	return map[string]Params{
		"paged": smallParams, "classic": classic, "doubling": doubling,
	}
}

func formatDir(name string) string {
	return filepath.Join("..", "testdata", "format", fmt.Sprintf("v%d", framelog.Version), name)
}

const formatRecords = 70

// writeFormat creates an index that contains everything: two generations in base files, and a log
// with a commit and an uncommitted end.
func writeFormat(t *testing.T, dir string, p Params) {
	t.Helper()
	s, err := Open(dir, p, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	stream, keys := &keyStream{1}, make([]Key, p.Bands)
	for i := range formatRecords {
		stream.fill(keys)
		if _, err := observeRecord(s, keys); err != nil {
			t.Fatal(err)
		}
		if i == formatRecords-10 && p.Filter != FilterClassic {
			if err := s.Fold(Position{Records: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = s.Commit(Position{Records: formatRecords, InputBytes: 2, OutputBytes: 3, Meta: []byte("four")})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func checkFormat(t *testing.T, dir string, p Params) {
	t.Helper()
	if err := Verify(dir); err != nil {
		t.Error(err)
	}
	r, err := OpenReadOnly(dir, p.Bands, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	stream, keys := &keyStream{1}, make([]Key, p.Bands)
	for i := range formatRecords + 1000 {
		stream.fill(keys)
		votes := make([]uint16, 1)
		if err := r.Query(keys, votes); err != nil || (int(votes[0]) >= max(1, p.Votes)) != (i < formatRecords) {
			t.Errorf("%s: record %d has %d votes, %v", dir, i, votes[0], err)
		}
	}
	if c := r.Committed(); c.Records != formatRecords || c.InputBytes != 2 || c.OutputBytes != 3 ||
		string(c.Meta) != "four" {
		t.Errorf("%s: position %+v", dir, c)
	}
}
