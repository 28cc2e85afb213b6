package signatures

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// TestGroupsOfSets: sets have nothing to do with their signatures here, but for the bands by which
// pairs are found, and they decide which records are joined, similar and alike.
func TestGroupsOfSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Params{
			NumPerm: 6, Bands: 3, Rows: 2, Votes: rapid.IntRange(1, 2).Draw(t, "votes"), Sets: true,
			Threshold:   rapid.SampledFrom([]float64{.2, .5, 1}).Draw(t, "threshold"),
			Containment: rapid.SampledFrom([]float64{0, .5, .9}).Draw(t, "containment"),
		}
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if rapid.Bool().Draw(t, "in files") {
			g.params.MaxMemory, g.leastRoom, g.leastKept = 1, 1, 1<<20
		}
		signature := rapid.SliceOfN(rapid.Uint64Range(0, 1), p.NumPerm, p.NumPerm)
		set := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 9), 0, 8, rapid.ID[uint64])
		var sketches, sets [][]uint64
		for range rapid.IntRange(1, 30).Draw(t, "records") {
			own := set.Draw(t, "set")
			slices.Sort(own)
			words := setSketch(p, signature.Draw(t, "slots"), own)
			if err := g.Add(words); err != nil {
				t.Fatal(err)
			}
			sketches, sets = append(sketches, words[:p.SketchWords()]), append(sets, own)
		}
		if err := g.Find(t.Context()); err != nil {
			t.Fatal(err)
		}
		m := &model{p: p}
		similarity := func(i, j int) float64 {
			_, agree := m.compare(sketches[i], sketches[j])
			return definedSimilarity(p, sets[i], sets[j], m.similarity(agree))
		}
		alike := func(i, j int) bool {
			votes, agree := m.compare(sketches[i], sketches[j])
			if slices.Equal(sketches[i], sketches[j]) && slices.Equal(sets[i], sets[j]) {
				return true // copies
			}
			return votes >= p.Votes && agree >= p.plausible(len(sets[i]), len(sets[j])) &&
				similarity(i, j) >= p.leastOfSets()
		}
		var got [][]uint64
		for group := range g.All() {
			got = append(got, slices.Clone(group))
		}
		if want := joinAll(sketches, alike); !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got %v, want %v", got, want)
		}
		for _, group := range got {
			for _, b := range group[1:] {
				if got, want := g.Similarity(group[0], b), float32(similarity(int(group[0]-1), int(b-1))); got != want {
					t.Fatalf("%d and %d: similarity %v, want %v", group[0], b, got, want)
				}
			}
			split, err := g.Split(group)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range split {
				for _, b := range part[1:] {
					if !alike(int(part[0]-1), int(b-1)) {
						t.Fatalf("%d is not like its leader %d", b, part[0])
					}
				}
			}
		}
	})
}

// definedSimilarity is how similar two sets are, or their signatures if one has too many hashes.
func definedSimilarity(p Params, a, b []uint64, estimated float64) float64 {
	switch {
	case len(a) == 0 || len(b) == 0:
		return estimated
	case p.Containment == 0:
		return sketch.JaccardOfSets(a, b)
	}
	common := 0
	for _, hash := range a {
		if slices.Contains(b, hash) {
			common++
		}
	}
	return float64(common) / float64(min(len(a), len(b)))
}
