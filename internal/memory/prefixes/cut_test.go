package prefixes

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// crowdOf returns sets that share so many elements that lists of keys are cut.
func crowdOf(p Params, records int) (sketches [][]uint64) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range records {
		var set []int
		for i := range 26 {
			set = append(set, i)
		}
		for range 6 {
			set = append(set, 1000+rng.IntN(1<<40))
		}
		sketches = append(sketches, sketchOf(p, hashesOf(set)))
	}
	return sketches
}

// TestCutCandidatesAreCounted checks that a memory counts the records for which it did not look at
// all candidates, also when it is only asked, and beside another memory.
func TestCutCandidatesAreCounted(t *testing.T) {
	p := Params{Threshold: .75, Bands: 3}
	x := newIndex(t, p)
	defer x.Close()
	crowd := crowdOf(p, 12_000)
	for _, words := range crowd {
		if _, err := x.Observe(words, make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	before := x.Stats().Cut
	others := memory.Others{{Searcher: x}}
	for _, words := range crowdOf(p, 12_020)[12_000:] {
		if err := others.Query(words, make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if cut := others.Cut() - before; before == 0 || cut != 20 {
		t.Errorf("%d of 12,000 records were judged by cut lists, and %d of 20 that were only compared", before, cut)
	}
}
