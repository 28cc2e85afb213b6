package bloomlsh

import (
	"math"
	"testing"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// TestStrayVotes compares the error model of docs/design/errors.md with a full index: how many
// votes an unseen record gets for one group by accident, and how often a record gets the vote it
// lacks.
func TestStrayVotes(t *testing.T) {
	const records, queries = 100_000, 20_000
	p := Params{Bands: 32, Votes: 8, Capacity: records, FPRate: 1e-8, OnFull: OnFullRefuse}
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	p = x.params
	if l := p.tagLayout(); l.bytes != narrowTags.bytes {
		t.Fatalf("entries of %d bytes", l.bytes)
	}
	stream := &keyStream{1}
	seen := make([]Key, records*p.Bands)
	stream.fill(seen)
	if n, err := x.Observe(seen, make([]uint16, records)); n != records || err != nil {
		t.Fatal(n, err)
	}
	plan := planGeneration(p, 0)
	q := narrowTags.strayRate(records, plan.bandWords)
	groups := float64(narrowTags.tags())

	asked, votes := make([]Key, queries*p.Bands), make([]uint16, queries)
	stream.fill(asked)
	if err := x.Query(asked, votes); err != nil {
		t.Fatal(err)
	}
	for least := 2; least <= 3; least++ {
		found := 0
		for _, v := range votes {
			if int(v) >= least {
				found++
			}
		}
		compareRate(t, "votes of one group by accident", found, queries,
			-math.Expm1(-groups*lsh.AtLeast(p.Bands, least, q)))
	}

	// All but one of the votes that a duplicate needs, from keys of one record.
	stream.fill(asked)
	for i := range queries {
		copy(asked[i*p.Bands:], seen[i*p.Bands:][:p.Votes-1])
	}
	if err := x.Query(asked, votes); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, v := range votes {
		if int(v) >= p.Votes {
			found++
		}
	}
	compareRate(t, "the vote that is missing", found, queries,
		-math.Expm1(float64(p.Bands-p.Votes+1)*math.Log1p(-q)))
}

// compareRate checks that the rate is an upper bound on what is found and not far above it, with a
// tolerance that chance exceeds in one of some 10,000 cases.
func compareRate(t *testing.T, what string, found, of int, rate float64) {
	t.Helper()
	want := rate * float64(of)
	t.Logf("%s: %d of %d, by the model %.1f", what, found, of, want)
	if chance := 4*math.Sqrt(want) + 2; float64(found) > want+chance || float64(found) < .8*want-chance {
		t.Errorf("%s: %d of %d, by the model %.1f", what, found, of, want)
	}
}

// TestEntriesMet compares layouts with the number of entries that a lookup meets in a full
// generation: those in its line and, where that is full, in the following lines.
func TestEntriesMet(t *testing.T) {
	capacity := uint64(100_000)
	if hurried() {
		capacity = 20_000
	}
	for _, votes := range []int{8, 2} {
		p := Params{Bands: 32, Votes: votes, Capacity: capacity, FPRate: 1e-8, OnFull: OnFullRefuse,
			Filter: FilterTagged}
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		stream := &keyStream{1}
		keys := make([]Key, int(x.params.Capacity)*p.Bands)
		stream.fill(keys)
		if _, err := x.Observe(keys, make([]uint16, x.params.Capacity)); err != nil {
			t.Fatal(err)
		}
		g := x.generations[0]
		met, asked := 0, keys[:1000*p.Bands]
		stream.fill(asked)
		for i, key := range asked {
			word := g.lineOf(i%p.Bands, key).word
			for range pageLines {
				entries := g.tags.entriesIn(word)
				if met += entries; entries < g.tags.perLine() {
					break
				}
				word = nextLine(word)
			}
		}
		l := g.tags.tagLayout
		mean := float64(met) / float64(len(asked))
		model := l.entriesMet(float64(x.params.Capacity), g.geometry.bandWords)
		t.Logf("entries of %d bytes: %.1f are met in a lookup, by the model %.1f", l.bytes, mean, model)
		if mean > model || mean < .9*model {
			t.Errorf("entries of %d bytes: %.1f are met in a lookup, by the model %.1f", l.bytes, mean, model)
		}
	}
}
