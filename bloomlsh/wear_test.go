package bloomlsh

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// site returns the keys of pages with a common frame: any two have similarity j. A
// band has the frame's key if, in each of 8 rows, no shingle of the page itself has a lower hash
// than the frame. So some keys are more frequent than others.
func site(records, bands int, j float64) []Key {
	r := rand.New(rand.NewPCG(8, 4))
	keys, own := make([]Key, records*bands), (1-j)/(2*j) // own shingles for each one of the frame
	for band := range bands {
		least := 0.
		for range 8 {
			least += r.ExpFloat64()
		}
		for page := range records {
			key := &keys[page*bands+band]
			if *key = (Key{Lo: uint64(band)}); r.Float64() >= math.Exp(-own*least) {
				*key = Key{Hi: r.Uint64(), Lo: r.Uint64()}
			}
		}
	}
	return keys
}

// TestCrowdsNearTheThreshold checks that few records of a crowd just below the threshold are
// removed, however many there are, and nearly all just above it, and that records are counted that
// are kept although they resemble the crowd.
func TestCrowdsNearTheThreshold(t *testing.T) {
	const records, bands = 10_000, 32
	for i, c := range []struct {
		j           float64
		least, most uint64 // removed
		isFound     bool
	}{
		{.74, 0, 5, false},
		{.80, 0, records * 5 / 100, true},
		{.816, 0, records * 12 / 100, true},
		{.83, 0, records * 12 / 100, true},
		{.90, records * 99 / 100, records, false},
		{.95, records * 99 / 100, records, false},
	} {
		if hurried() && i%2 > 0 {
			continue
		}
		x := mustNew(t, Params{Bands: bands, Votes: 8, Capacity: records, Filter: FilterTagged})
		if _, err := x.Observe(site(records, bands, c.j), make([]uint16, records)); err != nil {
			t.Fatal(err)
		}
		kept := uint64(0)
		for _, found := range x.Crowds() {
			kept += found.Kept
		}
		removed := x.Stats().Duplicates
		t.Logf("J = %g: %d of %d removed, %d kept in crowds", c.j, removed, records, kept)
		if removed < c.least || removed > c.most || (kept > records/20) != c.isFound {
			t.Errorf("J = %g: %d of %d removed, %d kept in crowds", c.j, removed, records, kept)
		}
	}
}

// TestCrowdsAmongStrangers checks that a crowd among unrelated records is found like one on its
// own, and reported at one of its first records.
func TestCrowdsAmongStrangers(t *testing.T) {
	const crowd, bands, every = 2000, 32, 20
	pages := site(crowd, bands, .816)
	keys := make([]Key, crowd*every*bands)
	stream := &keyStream{5}
	stream.fill(keys)
	for i := range crowd {
		copy(keys[i*every*bands:][:bands], pages[i*bands:])
	}
	x := mustNew(t, Params{Bands: bands, Votes: 8, Capacity: crowd * every, Filter: FilterTagged})
	if _, err := x.Observe(keys, make([]uint16, crowd*every)); err != nil {
		t.Fatal(err)
	}
	found := x.Crowds()
	if removed := x.Stats().Duplicates; removed > crowd/4 || len(found) == 0 || found[0].First%every != 1 ||
		found[0].First > 300*every || found[0].Kept < 100 {
		t.Errorf("%d of %d removed, %+v", removed, crowd, found)
	}
}

// TestWearOutlivesRuns checks that logs and folded files contain what a crowd has worn and marked:
// an index that was reopened again and again gives the votes of one that was not.
func TestWearOutlivesRuns(t *testing.T) {
	const records, bands = 3000, 32
	similarities := []float64{.816, .86}
	if hurried() {
		similarities = similarities[:1]
	}
	for _, j := range similarities {
		p := Params{Bands: bands, Votes: 8, Capacity: 500, Filter: FilterTagged}
		keys := site(records, bands, j)
		x, want := mustNew(t, p), make([]uint16, records)
		if _, err := x.Observe(keys, want); err != nil {
			t.Fatal(err)
		}
		for _, minLog := range []int64{1, 1 << 30} {
			files, env, got := storetest.New(t), testEnvironment(minLog), []uint16(nil)
			dir := files.Path("idx")
			for from := 0; from < records; from += 300 {
				s, err := openStore(env, dir, p, nil)
				if err != nil {
					t.Fatal(err)
				}
				votes := make([]uint16, 300)
				if _, err := s.Observe(keys[from*bands:(from+300)*bands], votes); err != nil {
					t.Fatal(err)
				}
				if err := s.Commit(Position{}); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				got = append(got, votes...)
			}
			if !slices.Equal(got, want) {
				t.Errorf("J = %g, logs from %d bytes on: other votes", j, minLog)
			}
		}
	}
}

// TestBandMarks checks that at most three bands are marked at once, and that they can be read back.
func TestBandMarks(t *testing.T) {
	var m bandMarks
	for _, band := range []int{31, 0, 32_766, 5} {
		m = m.with(band)
	}
	r := groupRecord{}
	r.begin(make([]Key, 40), 7, make(bandSet, 1), true)
	r.mark(m)
	var bands []int
	r.marks().each(func(band int) { bands = append(bands, band) })
	if slices.Sort(bands); !slices.Equal(bands, []int{0, 31, 32_766}) || !r.isWhole() || r.group() != 7 {
		t.Errorf("marks of %v", bands)
	}
	p := Params{Bands: 40, Votes: 8, Filter: FilterTagged}.complete()
	if err := p.checkRecord(r.keys); err == nil {
		t.Error("a band that there is not is marked")
	}
}
