package samples

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Variants of variants of a text, as texts of licences are, are many sources of what they have in
// common, which therefore weighs little. A variant is found if an earlier text has nearly all of
// it.
func TestVariantsOfVariantsAreFound(t *testing.T) {
	for _, beside := range []fracminhash.Beside{fracminhash.Finer, fracminhash.Set} {
		p := Params{Scale: 16, Threshold: .8, Beside: beside}
		similar, found := 0, 0
		for seed := range uint64(10) {
			s, f := variantsFound(t, p, seed)
			similar, found = similar+s, found+f
		}
		if similar < 500 || float64(found) < .98*float64(similar) {
			t.Errorf("beside %v: %d of %d that resemble an earlier one are found", beside, found, similar)
		}
	}
}

// variantsFound has an index observe variants of variants in random order. It returns how many have
// a Jaccard similarity of at least .9 with an earlier one, and how many of these are duplicates.
func variantsFound(t *testing.T, p Params, seed uint64) (similar, found int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	family := [][]uint64{random(rng, 300)}
	for len(family) < 150 {
		variant := slices.Clone(family[rng.IntN(len(family))])
		for range 1 + rng.IntN(4) { // a changed word is in five shingles
			at := rng.IntN(len(variant) - 5)
			copy(variant[at:], random(rng, 5))
		}
		family = append(family, variant)
	}
	rng.Shuffle(len(family), func(i, j int) { family[i], family[j] = family[j], family[i] })
	x := mustNew(t, p)
	defer x.Close()
	matches := make([]memory.Match, 1)
	for i, hashes := range family {
		text := textOf(p, hashes)
		if _, err := x.Observe(text.words(p), matches); err != nil {
			t.Fatal(err)
		}
		family[i] = text.all
		if slices.ContainsFunc(family[:i], func(e []uint64) bool {
			both := common(text.all, e)
			return 10*both >= 9*(len(text.all)+len(e)-both)
		}) {
			similar++
			if matches[0].Record > 0 {
				found++
			}
		}
	}
	return similar, found
}

// Variants of a text that very many others resemble a little have hardly a hash that weighs
// anything. Near copies among them are found all the same, and others are not taken for them.
func TestNearCopiesAmongVeryManyAreFound(t *testing.T) {
	const texts, copied, shared, own, changed = 200, 100, 280, 80, 14
	for _, beside := range []fracminhash.Beside{fracminhash.Finer, fracminhash.Set} {
		p := Params{Scale: 16, Threshold: .9, Beside: beside}
		x := mustNew(t, p)
		defer x.Close()
		rng := rand.New(rand.NewPCG(1, 2))
		ofAll, all, matches := random(rng, shared), [][]uint64(nil), make([]memory.Match, 1)
		removed := [2]int{}
		for i := range texts + copied {
			hashes, isCopy := append(random(rng, own), ofAll...), 0
			if i >= texts {
				hashes, isCopy = append(random(rng, changed), all[i-copied][changed:]...), 1
			}
			all = append(all, hashes)
			if _, err := x.Observe(textOf(p, hashes).words(p), matches); err != nil {
				t.Fatal(err)
			}
			if matches[0].Record > 0 {
				removed[isCopy]++
			}
		}
		if 100*removed[0] > 5*texts || 100*removed[1] < 80*copied {
			t.Errorf("beside %v: %d of %d near copies are found, and %d of %d others", beside, removed[1], copied,
				removed[0], texts)
		}
	}
}
