package samples

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Groups are those that the definition joins: by a pair of which the one has the threshold of the
// other when the later one comes. A copy is joined with what it is a copy of.
func TestGroupsAreThoseOfTheDefinition(t *testing.T) {
	fixedseed.Quarter(t)
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.UnseenOnly = false
		if p.hasSets() {
			p.Beside = fracminhash.Nothing
		}
		g, err := NewGroups(p)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		p.Either = true
		plain := newPlain(p)
		plain.joins = true
		texts := stream(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)), p, 100)
		group := make([]int, len(texts))
		join := func(a, b int) {
			from, to := group[a], group[b]
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
		}
		for i, text := range texts {
			group[i] = i
			if i%10 == 5 {
				g.Pass()
				plain.records++
				continue
			}
			if err := g.Add(text.words(p)); err != nil {
				t.Fatal(err)
			}
			if same := plain.copyOf(text); same > 0 {
				join(i, int(same-1))
				plain.records++
				continue
			}
			for _, e := range plain.texts {
				m, is := plain.judge(plain.sampled(text, e, 4))
				if is && p.hasFiner() {
					is = plain.confirms(text, e, m)
				}
				if is {
					join(i, int(e.record-1))
				}
			}
			for _, m := range plain.byNearKeys(text, plain.bySamples(text)) {
				join(i, int(m.Record-1))
			}
			plain.observe(text)
		}
		var want [][]uint64
		for i := range texts {
			var records []uint64
			for j := range texts {
				if group[j] == i {
					records = append(records, uint64(j+1))
				}
			}
			if len(records) > 1 {
				want = append(want, records)
			}
		}
		var got [][]uint64
		for records := range g.All() {
			got = append(got, slices.Clone(records))
		}
		slices.SortFunc(want, slices.Compare)
		slices.SortFunc(got, slices.Compare)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%v, want %v", got, want)
		}
		plain.without = 1
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "pairs"), 1))
		for range 50 {
			a, b := rng.IntN(len(texts)), rng.IntN(len(texts))
			if a%10 == 5 || b%10 == 5 {
				continue
			}
			if plain.copyOf(texts[a]) > plain.copyOf(texts[b]) {
				a, b = b, a
			}
			shares := plain.sampled(texts[b], texts[a], 4)
			want := max(shares.in, shares.of)
			if s := g.Similarity(uint64(a+1), uint64(b+1)); math.Abs(float64(s)-want) > 1e-6 && a != b {
				t.Fatalf("similarity %v, want %v", s, want)
			}
			m, is := plain.judge(shares)
			if p.hasFiner() {
				is = is && plain.confirms(texts[b], texts[a], m)
				is = is || plain.estimated(texts[b], texts[a]).resemble
			}
			if a != b && shares.in > 0 && g.Resemble(uint64(b+1), uint64(a+1)) != is {
				t.Fatalf("%+v: that %d resembles %d is %v", p, b, a, !is)
			}
		}
	})
}

// Near has the largest shares, whichever way they are.
func TestNearIsOrderedByShares(t *testing.T) {
	p := Params{Scale: 16, Threshold: .8}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p.Beside = range []fracminhash.Beside{fracminhash.Nothing, fracminhash.Finer, fracminhash.Set} {
		x := mustNew(t, p)
		long, short := random(rng, 3000), []uint64(nil)
		for i := range 600 {
			short = append(short, long[i])
		}
		half := append(random(rng, 500), long[600:1100]...)
		for _, all := range [][]uint64{short, half, random(rng, 700)} {
			if _, err := x.Observe(textOf(p, all).words(p), make([]memory.Match, 1)); err != nil {
				t.Fatal(err)
			}
		}
		found, err := x.Near(nil, textOf(p, long).words(p), 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 2 || found[0].Record != 1 || !found[0].Contains || found[0].Similarity != 1 ||
			found[1].Record != 2 || math.Abs(float64(found[1].Similarity)-.5) > .15 {
			t.Errorf("beside %v: %+v", p.Beside, found)
		}
		if found, err = x.Near(nil, textOf(p, short).words(p), 1); err != nil || len(found) != 1 ||
			found[0].Record != 1 || found[0].Contains {
			t.Errorf("beside %v: %+v, %v", p.Beside, found, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}
