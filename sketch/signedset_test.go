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
		got, ok := SignedSet{Sketcher: s}.Append([]uint64{7}, []byte(text))
		size := SignedWords(p)
		if !ok || got[0] != 7 || !slices.Equal(got[1:1+size], plain) {
			t.Errorf("%.20s: %v, the sketch is not that of Signed", text, ok)
		}
		if got[1+size] != uint64(len(want)) || !slices.Equal(got[2+size:], want) {
			t.Errorf("%.20s: %d hashes follow, want %d", text, got[1+size], len(want))
		}
	}
	if got, ok := (SignedSet{Sketcher: s}).Append([]uint64{7}, []byte("...")); ok || len(got) != 1 {
		t.Errorf("of no text: %v, %v", got, ok)
	}
	p.ShingleSize++
	verifier, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "one two three", long.String()} { // the set is of other shingles
		plain, _ := Signed{s.Clone()}.Append(nil, []byte(text))
		want := verifier.Shingles(nil, []byte(text))
		slices.Sort(want)
		want = slices.Compact(want)
		got, ok := SignedSet{s, verifier.Clone()}.Append(nil, []byte(text))
		size := SignedWords(p)
		if !ok || !slices.Equal(got[:size], plain) || got[size] != uint64(len(want)) ||
			!slices.Equal(got[1+size:], want) {
			t.Errorf("%.20s: %v, %d hashes follow, want %d", text, ok, got[size], len(want))
		}
	}
}

func TestHashesAreSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 100, 340, mostAtOnce, mostAtOnce + 1, 5000, 200_000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 3 << 62, 0} { // crowds of equal first bits too
			s := shingleSet{hashes: make([]uint64, n)}
			for i := range s.hashes {
				s.hashes[i] = rng.Uint64() & mask
			}
			want := slices.Compact(slices.Sorted(slices.Values(s.hashes)))
			if got := s.sorted(); !slices.Equal(got, want) {
				t.Errorf("%d hashes with the bits %x are not in order", n, mask)
			}
		}
	}
}

// TestSetsAreBounded: by how many different shingles there are, not by how often they come.
func TestSetsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the race detector has nothing to see in one goroutine; make test runs it")
	}
	p := Params{
		Normalize: "none", Tokenize: "char", ShingleSize: 4, Sketch: "fss", NumPerm: 4, Bands: 1, Rows: 4,
		BandKey: "xxh3",
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	size := SignedWords(p)
	text := []byte(strings.Repeat("abcdefgh", 5*MaxSet/2/8)) // more shingles than are collected at once
	if words, _ := (SignedSet{Sketcher: s}).Append(nil, text); words[size] != 8 || len(words) != size+1+8 {
		t.Errorf("eight shingles that come very often are %d", words[size])
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range text {
		text[i] = byte('!' + rng.IntN(90))
	}
	if words, _ := (SignedSet{Sketcher: s}).Append(nil, text); words[size] != 0 || len(words) != size+1 {
		t.Errorf("of a text with too many shingles there are %d", words[size])
	}
	if words, _ := (SignedSet{Sketcher: s}).Append(nil, []byte("abcde")); words[size] != 2 {
		t.Errorf("two shingles are %d", words[size])
	}
	if kept := cap(s.set.hashes) + cap(s.set.scratch) + cap(s.set.sorter.again); 8*kept > maxScratch {
		t.Errorf("%d hashes are kept", kept)
	}
}
