package bloomlsh

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// TestPageSeedSpreadsChosenKeys checks that keys chosen to fall into one page, without knowing the
// seed, are spread like any others if there is one.
func TestPageSeedSpreadsChosenKeys(t *testing.T) {
	const pages, chosen = 64, 6400
	var keys []Key
	for stream := (&keyStream{2}); len(keys) < chosen; {
		key := Key{Hi: stream.next(), Lo: stream.next()}
		if spread(key, mulGolden).page>>58 == 5 {
			keys = append(keys, key)
		}
	}
	for _, seed := range []uint64{1, 1 << 63, 0x5eed5eed5eed5eed} {
		var count [pages]float64
		for _, key := range keys {
			count[spread(key, mulGolden^seed).page>>58]++
		}
		squares := 0.0
		for _, n := range count {
			squares += (n - chosen/pages) * (n - chosen/pages) / (chosen / pages)
		}
		if math.Abs(squares-(pages-1)) > 5*math.Sqrt(2*(pages-1)) {
			t.Errorf("seed %x: χ² of %.0f over %d pages", seed, squares, pages)
		}
	}
}

// TestPageSeedIsKept checks that an index, all its generations and its merge keep the seed, and
// that another seed is rejected.
func TestPageSeedIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "idx")
	p := Params{Bands: 3, Votes: 3, Capacity: 40, PageSeed: 0xfeedfacecafebeef}
	s, err := Open(dir, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	const inserted, asked = 150, 200
	keys, votes := make([]Key, 3*asked), make([]uint16, asked)
	(&keyStream{4}).fill(keys)
	if n, err := s.Observe(keys[:3*inserted], votes[:inserted]); n != inserted || err != nil {
		t.Fatal(n, err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := errors.Join(s.Commit(Position{}), s.Close(), Compact(dir, index.Undo{}),
		Merge([]string{dir}, copied)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, copied} {
		r, err := OpenReadOnly(dir, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Query(keys, votes), r.Close()); err != nil {
			t.Fatal(err)
		}
		for i, v := range votes {
			if v == 3 != (i < inserted) {
				t.Fatalf("record %d has %d votes", i, v)
			}
		}
		if got, _, err := ReadParameters(dir); got.PageSeed != p.PageSeed || got.Votes != 3 || err != nil {
			t.Errorf("seed %x, %d votes, %v", got.PageSeed, got.Votes, err)
		}
		other := p
		other.PageSeed = 0
		if _, err := Open(dir, other, nil); !errors.Is(err, ErrParameters) {
			t.Errorf("opened with no seed: %v", err)
		}
	}
	if err := (Params{Bands: 3, PageSeed: 1, Filter: FilterClassic}).Validate(); err == nil {
		t.Error("a classic filter takes a seed of pages")
	}
}
