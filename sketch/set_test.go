package sketch

import (
	"slices"
	"strings"
	"testing"
)

// TestSetIsThatOfSignedSet: the set alone is what comes with a signature.
func TestSetIsThatOfSignedSet(t *testing.T) {
	p := Params{
		Normalize: "nfkc-fold", Tokenize: "word", ShingleSize: 3, Sketch: "fss", NumPerm: 4, Bands: 1, Rows: 4,
		BandKey: "xxh3",
	}
	s, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	before := SignedWords(p)
	for _, text := range []string{"one", "one two three FOUR", strings.Repeat("a b c d ", 50_000)} {
		signed, _ := SignedSet{Sketcher: s}.Append(nil, []byte(text))
		got, ok := Set{s}.Append([]uint64{7}, []byte(text))
		if !ok || got[0] != 7 || !slices.Equal(got[1:], signed[before:]) {
			t.Errorf("%.20s: %v, %v, want %v", text, got, ok, signed[before:])
		}
	}
	if got, ok := (Set{s}).Append([]uint64{7}, []byte("...")); ok || len(got) != 1 {
		t.Errorf("of no text: %v, %v", got, ok)
	}
}
