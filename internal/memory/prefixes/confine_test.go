package prefixes

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// TestConfinedSets compares an index of confined sketches with an index for each mask: each set has
// the same original, with the same similarity. Some sets are long, and have band keys.
func TestConfinedSets(t *testing.T) {
	p := Params{Threshold: .7, Bands: 3}
	masks := []uint64{0, 0x9e3779b97f4a7c15, 0xffffffff00000000, 0xc2b2ae3d27d4eb4f}
	s := source{rng: rand.New(rand.NewPCG(1, 2)), words: 500}
	x, own := newIndex(t, p), make([]*Index, len(masks))
	for i := range own {
		own[i] = newIndex(t, p)
	}
	var scratch []uint64
	numbers := make([][]uint64, len(masks)) // of the records with each mask, in x
	found := 0
	for n := range 4000 {
		set := s.next(90)
		i := s.rng.IntN(len(masks) - 1)
		numbers[i] = append(numbers[i], uint64(n+1))
		words := sketchOf(p, set)
		var want, got [1]memory.Match
		if _, err := own[i].Observe(words, want[:]); err != nil {
			t.Fatal(err)
		}
		scratch = p.Confine(words, scratch, masks[i])
		if _, err := x.Observe(words, got[:]); err != nil {
			t.Fatal(err)
		}
		if want[0].Record > 0 {
			want[0].Record = numbers[i][want[0].Record-1]
			found++
		}
		if got != want {
			t.Fatalf("set %d, of %d elements, with mask %x: %+v, want %+v", n+1, len(set), masks[i], got[0], want[0])
		}
		last := len(masks) - 1 // no set has this mask
		words = sketchOf(p, set)
		scratch = p.Confine(words, scratch, masks[last])
		got = [1]memory.Match{}
		if err := x.Query(words, got[:]); err != nil || got[0].Record != 0 {
			t.Fatalf("set %d with a mask that no other has: %+v, %v", n+1, got[0], err)
		}
	}
	if found < 300 {
		t.Errorf("only %d sets have originals", found)
	}
}
