package samples

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/spill"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// What is packed comes out again as the positions of the hashes, also where all of them are
// together at one end.
func TestPackedPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		level := 1 + rng.IntN(10)
		from, to := uint64(1)<<(32-level), uint64(1)<<(32-max(0, level-2))
		if i%3 == 0 {
			from = to - (to-from)/1000
		}
		uppers := make([]uint32, 1+rng.IntN(1<<rng.IntN(12)))
		for i := range uppers {
			uppers[i] = uint32(from + rng.Uint64N(to-from))
		}
		slices.Sort(uppers)
		words := append([]uint64{uint64(level)<<57 | uint64(len(uppers))<<28}, inPairs(uppers)...)
		p := pack(make([]uint64, 0, 4), fracminhash.Read(words), false)
		if p.count != len(uppers) || 64*len(p.words) > 64+6*len(uppers) {
			t.Fatalf("%d hashes are %d in %d words", len(uppers), p.count, len(p.words))
		}
		r, at := bitReader{words: p.words}, p.first()
		for _, upper := range uppers {
			at += r.next()
			if least := p.upperOf(at); p.positionOf(upper) != at || upper < least ||
				least > 0 && p.positionOf(least-1) >= at {
				t.Fatalf("level %d, %d hashes: %x has position %d, which begins at %x", level, len(uppers), upper, at,
					least)
			}
		}
	}
}

// An arena keeps what it is given, also what was sealed meanwhile, and takes as much as it has
// said.
func TestArenaKeeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var a arena
	var places []uint64
	var all [][]uint64
	for i := range 3000 {
		if i%1000 == 700 {
			w, err := spill.Create(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			a.eachChunk(w.Write)
			file, err := w.Map()
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := a.seal(&file); err != nil || a.bytes() != 0 {
				t.Fatal(a.bytes(), err)
			}
		}
		words := make([]uint64, 1+rng.IntN(1<<rng.IntN(16)))
		for i := range words {
			words[i] = rng.Uint64()
		}
		want := a.bytesWith(len(words))
		at, added, err := a.add(len(words))
		if err != nil {
			t.Fatal(err)
		}
		if a.bytes() != want || copy(added, words) != len(words) {
			t.Fatalf("%d bytes, want %d; %d words of %d", a.bytes(), want, len(added), len(words))
		}
		places, all = append(places, at), append(all, words)
	}
	for i, want := range all {
		if got := a.at(places[i])[:len(want)]; !slices.Equal(got, want) {
			t.Fatalf("entry %d of %d words is another one", i, len(want))
		}
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
}

// Weights of lower levels are words of their own, which are 0 at first, and take as much as is
// said.
func TestLowerWeightsAreApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var l arena
	var places []uint64
	for range 20_000 {
		n := rng.IntN(6)
		want := l.bytesWith(n)
		at, _, err := l.add(n)
		if err != nil {
			t.Fatal(err)
		}
		if l.bytes() != want {
			t.Fatalf("%d bytes, want %d", l.bytes(), want)
		}
		for i := range n {
			places = append(places, at+uint64(i))
			if word := &l.at(at + uint64(i))[0]; *word != 0 {
				t.Fatal("a word has been given before")
			} else {
				*word = uint64(len(places))
			}
		}
	}
	for i, place := range places {
		if got := l.at(place)[0]; got != uint64(i+1) {
			t.Fatalf("word %d is %d", i+1, got)
		}
	}
}
