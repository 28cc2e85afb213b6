package bloomlsh

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// TestGrowth checks that growth depends only on counts and keeps every key, and that generations
// have the planned capacities and rates.
func TestGrowth(t *testing.T) {
	for growth, capacities := range map[string][]uint64{
		"":              {10, 30, 90, 270},
		GrowthThreefold: {10, 30, 90, 270},
	} {
		p := Params{Bands: 3, Capacity: 10, FPRate: 1e-6, Filter: FilterPaged, Remember: RememberAll,
			OnFull: OnFullGrow, Growth: growth}
		x := mustNew(t, p)
		stream, keys, records := &keyStream{7}, make([]Key, p.Bands), 1
		var want []string
		for i, capacity := range capacities {
			if i == len(capacities)-1 {
				want = append(want, fmt.Sprintf("1/%d", capacity))
				break
			}
			want, records = append(want, fmt.Sprintf("%d/%d", capacity, capacity)), records+int(capacity)
		}
		for i := range records {
			stream.fill(keys)
			if _, err := observeRecord(x, keys); err != nil {
				t.Fatalf("record %d: %v", i, err)
			}
		}
		var got []string
		sum := 0.0
		for _, g := range x.Stats().Generations {
			got = append(got, fmt.Sprintf("%d/%d", g.Inserted, g.Capacity))
			sum += g.FPRateAtCapacity
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: generations %v, want %v", growth, got, want)
		}
		if sum > p.FPRate {
			t.Errorf("%q: the generations' rates add up to %g, promised %g", growth, sum, p.FPRate)
		}
		stream = &keyStream{7}
		for i := range records {
			stream.fill(keys)
			if !hasRecord(x, keys) {
				t.Fatalf("%q: record %d is forgotten", growth, i)
			}
		}
	}
}

// TestUnplanned checks that a table that doubles starts with half of the default capacity, which
// its parameters record.
func TestUnplanned(t *testing.T) {
	for _, c := range []struct {
		votes    int
		memory   uint64
		growth   string
		capacity uint64
	}{
		{8, 0, GrowthDoubling, 500_000}, {8, 1 << 30, GrowthThreefold, 1_000_000}, {1, 0, GrowthThreefold, 1_000_000},
	} {
		p := Params{Bands: 32, Votes: c.votes, Memory: c.memory}.Unplanned()
		if p.Growth != c.growth || p.Capacity != c.capacity || p != p.complete() {
			t.Errorf("%d votes, %d bytes: %s from %d records on, want %s from %d on", c.votes, c.memory, p.Growth,
				p.Capacity, c.growth, c.capacity)
		}
	}
}

// TestSharesOfTheRate checks that the generations' shares of a band's rate never add up to more
// than one.
func TestSharesOfTheRate(t *testing.T) {
	for _, votes := range []int{2, 8} {
		p := Params{Bands: 32, Votes: votes, Growth: GrowthThreefold}.complete()
		sum, whole := 0.0, p.keyRate(p.FPRate)
		for i := range 64 {
			sum += p.bandRate(i)
		}
		if sum > whole*(1+1e-12) || sum < .99*whole {
			t.Errorf("%d votes: bands err at %g in all, promised %g", votes, sum, whole)
		}
	}
}

// TestGrowthOfIndexThatIsThere checks that an index keeps growing in its own way, whatever a new
// one would do, unless told otherwise.
func TestGrowthOfIndexThatIsThere(t *testing.T) {
	p := Params{Bands: 3, Votes: 2, Capacity: 10, FPRate: lsh.MinFPRate, Filter: FilterTagged, Growth: GrowthThreefold}
	dir := filepath.Join(t.TempDir(), "index")
	s, err := Open(dir, p, testIdentity)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := p
	other.Growth = GrowthDoubling
	if _, err := Open(dir, other, testIdentity); !errors.Is(err, ErrParameters) ||
		!strings.Contains(err.Error(), "growth is threefold in it and doubling here") {
		t.Errorf("as if it grew otherwise it opens with %v", err)
	}
	p.Growth = ""
	if s, err = Open(dir, p, testIdentity); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stream, keys := &keyStream{3}, make([]Key, p.Bands)
	for len(s.Stats().Generations) < 3 {
		stream.fill(keys)
		if _, err := observeRecord(s, keys); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Stats().Generations[2].Capacity; got != 9*p.Capacity {
		t.Errorf("the third generation is for %d records, want %d", got, 9*p.Capacity)
	}
}
