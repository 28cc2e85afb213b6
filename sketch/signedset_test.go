package sketch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestSignedSetIsTheSetOfShingles(t *testing.T) {
	p := Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 2, Sketch: "fss", NumPerm: 20, Bands: 4, Rows: 5,
		BandKey: "xxh3",
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	long := &strings.Builder{} // of several windows, with repeats
	rng := rand.New(rand.NewPCG(1, 1))
	for range 40_000 {
		fmt.Fprintf(long, "w%d ", rng.IntN(500))
	}
	for _, text := range []string{"one", "one two three", strings.Repeat("one two ", 100), long.String()} {
		plain, _ := Signed{s.Clone()}.Append(nil, []byte(text))
		want := s.Shingles(nil, []byte(text))
		slices.Sort(want)
		want = slices.Compact(want)
		got, ok := SignedSet{s}.Append([]uint64{7}, []byte(text))
		size := SignedWords(p.NumPerm, p.Bands)
		if !ok || got[0] != 7 || !slices.Equal(got[1:1+size], plain) {
			t.Errorf("%.20s: %v, the sketch is not that of Signed", text, ok)
		}
		if got[1+size] != uint64(len(want)) || !slices.Equal(got[2+size:], want) {
			t.Errorf("%.20s: %d hashes follow, want %d", text, got[1+size], len(want))
		}
	}
	if got, ok := (SignedSet{s}).Append([]uint64{7}, []byte("...")); ok || len(got) != 1 {
		t.Errorf("of no text: %v, %v", got, ok)
	}
}

func TestHashesAreSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Sketcher
	for _, n := range []int{0, 1, 2, 3, 100, 5000, 200_000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 3 << 62, 0} { // crowds of equal first bits too
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = rng.Uint64() & mask
			}
			want := slices.Sorted(slices.Values(hashes))
			if got := s.sorted(hashes); !slices.Equal(got, want) {
				t.Errorf("%d hashes with the bits %x are not in order", n, mask)
			}
		}
	}
}
