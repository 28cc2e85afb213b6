package samples

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
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
		p := pack(make([]uint64, 0, 4), fracminhash.Read(words))
		if p.count != len(uppers) || 64*len(p.words) > 64+6*len(uppers) {
			t.Fatalf("%d hashes are %d in %d words", len(uppers), p.count, len(p.words))
		}
		r, at := bitReader{words: p.words}, p.first()
		for _, upper := range uppers {
			at += r.take()
			if least := p.upperOf(at); p.positionOf(upper) != at || upper < least ||
				least > 0 && p.positionOf(least-1) >= at {
				t.Fatalf("level %d, %d hashes: %x has position %d, which begins at %x", level, len(uppers), upper, at,
					least)
			}
		}
	}
}

// An arena keeps what it is given, and takes as much as it has said.
func TestArenaKeeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var a arena
	var places []place
	var all [][]uint64
	for range 3000 {
		before := 1 + rng.IntN(3)
		finer := packed{words: make([]uint64, rng.IntN(1<<rng.IntN(16))), count: 1 + rng.IntN(1000)}
		for i := range finer.words {
			finer.words[i] = rng.Uint64()
		}
		want := a.bytesWith(before + len(finer.words))
		at, err := a.add(before, finer)
		if err != nil {
			t.Fatal(err)
		}
		if a.bytes() != want || at.count() != finer.count {
			t.Fatalf("%d bytes, want %d; %d hashes, want %d", a.bytes(), want, at.count(), finer.count)
		}
		places, all = append(places, at), append(all, append(make([]uint64, before), finer.words...))
	}
	for i, want := range all {
		if got := a.at(places[i])[:len(want)]; !slices.Equal(got, want) {
			t.Fatalf("entry %d of %d words is another one", i, len(want))
		}
	}
	for _, chunk := range a.chunks {
		if err := offheap.Release(chunk); err != nil {
			t.Error(err)
		}
	}
}
