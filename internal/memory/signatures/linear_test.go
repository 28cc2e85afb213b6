package signatures

import (
	"math/rand/v2"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// A Linear says what an Index says, also one that was told unpacked sketches.
func TestLinearIsAsAnIndex(t *testing.T) {
	p := Params{NumPerm: 24, SlotBits: 8, Bands: 7, Rows: 3, Votes: 2, Threshold: .6, Crowd: 16}
	rng := rand.New(rand.NewPCG(31, 32))
	found := 0
	for range 200 {
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		few := NewLinear(p)
		base := make([]uint64, p.NumPerm)
		for i := range base {
			base[i] = rng.Uint64()
		}
		for range 12 {
			slots := append([]uint64(nil), base...)
			for range rng.IntN(14) {
				slots[rng.IntN(len(slots))] = rng.Uint64N(3)
			}
			words := sketchOf(p, slots)
			packed := p.Pack(nil, words)
			if len(packed) != p.PackedWords() {
				t.Fatalf("%d words, want %d", len(packed), p.PackedWords())
			}
			var match [1]memory.Match
			if err := x.Query(words, match[:]); err != nil {
				t.Fatal(err)
			}
			number, ok := few.Best(words)
			if ok != (match[0].Record != 0) || ok && uint64(number)+1 != match[0].Record {
				t.Fatalf("few: %d, %v; the index: %+v", number, ok, match[0])
			}
			if ok {
				found++
			}
			few.Add(words)
			if _, err := x.Observe(p.Unpack(nil, packed), match[:]); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found < 200 {
		t.Errorf("%d are found, which says little", found)
	}
}

// In a crowd a record is compared with few, and yet found by all bands that it shares.
func TestCrowd(t *testing.T) {
	p := Params{NumPerm: 96, Bands: 32, Rows: 3, Votes: 10, Threshold: .7, Crowd: 16}
	x, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	rng := rand.New(rand.NewPCG(33, 34))
	crowded := func() []uint64 { // half of the bands are those of all
		slots := make([]uint64, p.NumPerm)
		for i := range slots {
			if slots[i] = uint64(i); i >= 48 {
				slots[i] = rng.Uint64()
			}
		}
		return slots
	}
	var one []uint64
	for i := range 2000 {
		slots := crowded()
		if i == 1000 {
			one = slots
		}
		observe(t, x, slots)
		if len(x.similar) > p.Bands*p.Crowd {
			t.Fatalf("%d records are compared", len(x.similar))
		}
	}
	changed := append([]uint64(nil), one...)
	for i := 51; i < 75; i++ { // one band that is not crowded is the same, and some behind these
		changed[i] = rng.Uint64()
	}
	var match [1]memory.Match
	if err := x.Query(sketchOf(p, changed), match[:]); err != nil || match[0].Record != 1001 || match[0].Votes != 24 {
		t.Errorf("found %+v, %v", match[0], err)
	}
}
