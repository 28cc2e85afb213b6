package signatures

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Query answers as Observe would, and remembers nothing; what was found elsewhere stays unless the
// index knows something more similar.
func TestQuery(t *testing.T) {
	p := Params{NumPerm: 16, Bands: 8, Rows: 2, Votes: 1, Threshold: .4}
	x := newIndex(t, p)
	defer x.Close()
	rng := rand.New(rand.NewPCG(1, 13))
	var sketches []uint64
	const records = 500
	var all [][]uint64
	for i := range records {
		slots := random(rng, p)
		if i > 0 && i%2 == 0 {
			copy(slots, all[rng.IntN(len(all))][:rng.IntN(17)])
		}
		all = append(all, slots)
		sketches = append(sketches, sketchOf(p, slots)...)
	}
	size := p.SketchWords()
	one, matches := make([]memory.Match, 1), make([]memory.Match, 1)
	duplicates := 0
	for i := range records {
		words := sketches[i*size : (i+1)*size]
		before := x.Stats()
		one[0] = memory.Match{}
		if err := x.Query(words, one); err != nil || x.Stats() != before {
			t.Fatal(err, x.Stats(), before)
		}
		elsewhere := memory.Match{Record: 1 << 60, Similarity: rng.Float32()}
		beside := []memory.Match{elsewhere}
		if err := x.Query(words, beside); err != nil {
			t.Fatal(err)
		}
		want := elsewhere
		if one[0].Record != 0 && one[0].Similarity > elsewhere.Similarity {
			want = one[0]
		}
		if beside[0] != want {
			t.Fatalf("record %d: %v beside %v and %v", i, beside[0], elsewhere, one[0])
		}
		if _, err := x.Observe(words, matches); err != nil || matches[0] != one[0] {
			t.Fatalf("record %d: %v, %v, not %v", i, err, one[0], matches[0])
		}
		if one[0].Record != 0 {
			duplicates++
		}
	}
	if duplicates < records/10 {
		t.Errorf("%d duplicates are too few to tell", duplicates)
	}
	if err := x.Query(sketches[:1], matches); err == nil {
		t.Error("a sketch of one word")
	}
}

// What is known elsewhere is remembered too, unless only unseen records are.
func TestObserveBeside(t *testing.T) {
	for _, unseenOnly := range []bool{false, true} {
		p := ordinary
		p.UnseenOnly = unseenOnly
		x := newIndex(t, p)
		defer x.Close()
		words := sketchOf(p, random(rand.New(rand.NewPCG(1, 14)), p))
		elsewhere := memory.Match{Record: 7, Similarity: .9}
		matches := []memory.Match{elsewhere}
		if _, err := x.ObserveBeside(words, matches); err != nil || matches[0] != elsewhere {
			t.Fatal(matches, err)
		}
		if s := x.Stats(); s.Duplicates != 1 || (s.Entries == 0) != unseenOnly {
			t.Errorf("only unseen ones %v: %+v", unseenOnly, s)
		}
		again := slices.Clone(matches)
		if _, err := x.Observe(words, again); err != nil || (again[0].Record == 1) == unseenOnly {
			t.Errorf("only unseen ones %v: %v, %v", unseenOnly, again, err)
		}
	}
}

// Of many records with common keys the tables list some. After CompareAll the index answers as if
// it compared with all of them, also with those that are sealed.
func TestCompareAll(t *testing.T) {
	p := Params{NumPerm: 32, Bands: 8, Rows: 4, Votes: 1, Threshold: .6}
	for _, records := range []int{100, 1000, rowsPerChunk + 1000} {
		if records > rowsPerChunk && testing.Short() {
			continue
		}
		x, m := newIndex(t, little(t, p)), &model{p: p}
		defer x.Close()
		rng := rand.New(rand.NewPCG(1, 15))
		first := random(rng, p)
		for range records {
			slots := slices.Clone(first)
			for range 4 + rng.IntN(13) {
				slots[rng.IntN(len(slots))] = rng.Uint64()
			}
			observe(t, x, slots)
			m.records++
			m.sketches, m.numbers = append(m.sketches, sketchOf(p, slots)), append(m.numbers, m.records)
		}
		query := sketchOf(p, first)
		want := m.alike(query)
		if got, err := x.AppendDuplicates(nil, query); err != nil || (len(got) == len(want)) != (records == 100) {
			t.Errorf("%d records: the tables list %d of %d, %v", records, len(got), len(want), err)
		}
		x.CompareAll(true)
		got, err := x.AppendDuplicates(nil, query)
		if !includes(got, want) || !includes(m.near(query, 0, p.Threshold), got) || err != nil {
			t.Errorf("%d records: %d duplicates, %v, want %d", records, len(got), err, len(want))
		}
		want = m.near(query, 1, 0)
		got, err = x.Near(nil, query, records)
		if !includes(got, want) || !includes(m.near(query, 0, 0), got) || err != nil {
			t.Errorf("%d records: %d near ones, %v, want %d", records, len(got), err, len(want))
		}
		if fewer, err := x.Near(nil, query, 20); !slices.Equal(fewer, got[:20]) || err != nil {
			t.Errorf("%d records: %v, %v, want %v", records, fewer, err, got[:20])
		}
	}
}

// includes reports whether matches in descending order include others, whatever bands they have in
// common: the index compares bands by the bits that it keeps of their slots.
func includes(matches, others []memory.Match) bool {
	had := map[memory.Match]bool{}
	for _, m := range matches {
		m.Votes = 0
		had[m] = true
	}
	return !slices.ContainsFunc(others, func(m memory.Match) bool { m.Votes = 0; return !had[m] })
}

func TestCompareAllBySets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 65))
	x, slots := newIndex(t, byText), random(rng, byText)
	defer x.Close()
	for range 200 {
		changed := slices.Clone(slots)
		changed[rng.IntN(60)] = rng.Uint64()
		if _, err := x.Observe(setSketch(byText, changed, framed(rng, 6)), make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
	}
	x.CompareAll(true)
	if all, err := x.AppendDuplicates(nil, setSketch(byText, slots, framed(rng, 6))); err != nil || len(all) != 200 {
		t.Errorf("%d of 200, %v", len(all), err)
	}
}
