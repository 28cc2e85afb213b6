package signatures

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

var byText = Params{
	NumPerm: 64, SlotBits: SlotBitsWithSets(64), Bands: 10, Rows: 6, Votes: 1, Threshold: .85, Sets: true,
}

// framed returns a set of 300 numbers: all but own of them belong to a frame.
func framed(rng *rand.Rand, own int) (set []uint64) {
	for n := range uint64(300 - own) {
		set = append(set, n)
	}
	for range own {
		set = append(set, 1<<32+rng.Uint64N(1<<62))
	}
	return set
}

// In a crowd near the threshold a record is removed exactly if an earlier one is similar enough,
// and the reported similarity is exact.
func TestCrowdNearTheThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 64))
	slots := random(rng, byText) // those of all
	x := newIndex(t, byText)
	defer x.Close()
	var sets [][]uint64
	removed := 0
	for range mostPostings {
		set, most := framed(rng, 15+rng.IntN(25)), 0.
		slots[0]++ // the first band is not that of others
		for _, earlier := range sets {
			most = max(most, sketch.JaccardOfSets(earlier, set))
		}
		match := make([]memory.Match, 1)
		if _, err := x.Observe(setSketch(byText, slots, set), match); err != nil {
			t.Fatal(err)
		}
		if isFound := match[0].Record > 0; isFound != (most >= byText.Threshold) {
			t.Fatalf("record %d, whose nearest one has %v: %+v", len(sets)+1, most, match[0])
		}
		if m := match[0]; m.Record > 0 {
			removed++
			exact := sketch.JaccardOfSets(sets[m.Record-1], set)
			if m.Similarity != float32(exact) || exact < most-.01 {
				t.Fatalf("record %d: %+v is at %v, the nearest one at %v", len(sets)+1, m, exact, most)
			}
		}
		sets = append(sets, set)
	}
	if removed < 20 || removed > 100 {
		t.Errorf("%d of %d removed: not a crowd near the threshold", removed, len(sets))
	}
}

// Near copies are candidates only as long as few records have their keys, also in an index that is
// read from its log; each is found all the same.
func TestCrowdOfNearCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 65))
	slots, file, length := random(rng, byText), &memFile{}, int64(0)
	var sketches []uint64
	for range 200 {
		changed := slices.Clone(slots)
		changed[rng.IntN(60)] = rng.Uint64()
		sketches = append(sketches, setSketch(byText, changed, framed(rng, 6))...)
	}
	size := len(sketches) / 200
	for run := range 2 {
		x, err := memory.Load(New, byText, file, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		half := sketches[run*100*size : (run+1)*100*size]
		matches := make([]memory.Match, 100)
		if _, err := x.Observe(half, matches); err != nil {
			t.Fatal(err)
		}
		for i, m := range matches {
			if (m.Record == 0 || m.Similarity < .95) && run+i > 0 {
				t.Fatalf("run %d, record %d: %+v", run, i+1, m)
			}
		}
		for i := range x.tables {
			if n := x.tables[i].Len(); n > 100 {
				t.Errorf("run %d: %d entries in the table of band %d", run, n, i)
			}
		}
		if n := len(x.similar); n > 100 {
			t.Errorf("run %d: the last record has %d candidates", run, n)
		}
		if length, err = x.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	all, err := memory.Read(New, byText, file, length, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if s := all.Stats(); s.Entries != 200 {
		t.Errorf("%+v", s)
	}
	lists := 0
	for i := range all.tables {
		lists += all.tables[i].Len()
	}
	if lists > 1000 {
		t.Errorf("%d entries in the tables of an index that was read", lists)
	}
}
