package bloomlsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Growth depends on counts alone and keeps every key; capacities and rates of the generations are
// as planned.
func TestGrowth(t *testing.T) {
	for growth, capacities := range map[string][]uint64{
		"":              {10, 30, 60, 120, 240},
		GrowthFalling:   {10, 30, 60, 120, 240},
		GrowthThreefold: {10, 30, 90, 270},
		GrowthFourfold:  {10, 40, 160, 640},
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

// An index for which no capacity was given is likely to grow, and shares its rate so.
func TestGrowthWithoutCapacity(t *testing.T) {
	for capacity, want := range map[uint64]string{0: GrowthThreefold, 1_000_000: GrowthFalling} {
		if p := (Params{Bands: 3, Capacity: capacity}).complete(); p.Growth != want || p != p.complete() {
			t.Errorf("with a capacity of %d an index grows %q, want %q", capacity, p.Growth, want)
		}
	}
}

// The shares that generations have of the rate of a band never add up to more than it.
func TestSharesOfTheRate(t *testing.T) {
	for _, growth := range []string{GrowthFalling, GrowthThreefold, GrowthFourfold} {
		for _, votes := range []int{2, 8} {
			p := Params{Bands: 32, Votes: votes, Growth: growth}.complete()
			sum, whole := 0.0, p.keyRate(p.FPRate)
			for i := range 64 {
				sum += p.bandRate(i)
			}
			if sum > whole*(1+1e-12) || sum < .99*whole {
				t.Errorf("%s, %d votes: bands err at %g in all, promised %g", growth, votes, sum, whole)
			}
		}
	}
}

// An index goes on to grow as it did, whatever a new one would do, unless another way is asked for.
func TestGrowthOfIndexThatIsThere(t *testing.T) {
	for name, last := range map[string]uint64{"paged": 16, "falling": 6, "threefold": 9} {
		p := formatIndexes()[name]
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(formatDir(name))); err != nil {
			t.Fatal(err)
		}
		other := p
		if other.Growth = GrowthFourfold; name == "paged" {
			other.Growth = GrowthFalling
		}
		if _, err := Open(dir, other, testIdentity); !errors.Is(err, ErrParameters) ||
			!strings.Contains(err.Error(), "growth is "+p.Growth+" in it and "+other.Growth+" here") {
			t.Errorf("%s: as if it grew otherwise it opens with %v", name, err)
		}
		p.Growth = ""
		s, err := Open(dir, p, testIdentity)
		if err != nil {
			t.Fatal(err)
		}
		stream, keys := &keyStream{3}, make([]Key, p.Bands)
		for generations := len(s.Stats().Generations); generations < 3; generations = len(s.Stats().Generations) {
			stream.fill(keys)
			if _, err := observeRecord(s, keys); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Stats().Generations[2].Capacity; got != last*p.Capacity {
			t.Errorf("%s: the third generation is for %d records, want %d", name, got, last*p.Capacity)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
