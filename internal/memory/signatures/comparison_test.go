package signatures

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A comparison and an index say the same of all pairs of texts.
func TestComparisonsAreThoseOfAnIndex(t *testing.T) {
	s := sketch.Default()
	s.ShingleSize, s.Bands, s.Rows = 1, 10, 6
	s.SlotBits = SlotBitsWithSets(s.NumPerm)
	made, err := sketch.New(s)
	if err != nil {
		t.Fatal(err)
	}
	p := Params{NumPerm: s.NumPerm, SlotBits: s.SlotBits, Bands: 10, Rows: 6, Votes: 1, Threshold: .85, Sets: true}
	c, err := NewComparison(p)
	if err != nil {
		t.Fatal(err)
	}
	sketchOf := func(others int) []uint64 {
		words := strings.Fields(strings.Repeat("w ", 100))
		for i := range words {
			words[i] = fmt.Sprint("w", i)
			if i < others {
				words[i] = fmt.Sprint("other", i)
			}
		}
		sketched, _ := sketch.SignedSet{Sketcher: made.Clone()}.Append(nil, []byte(strings.Join(words, " ")))
		return PackSet(p.SetForm(), sketched, p.SketchWords()+1)
	}
	duplicates := 0
	for others := range 40 {
		x, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		first, second := sketchOf(0), sketchOf(others)
		if _, err := x.Observe(first, make([]memory.Match, 1)); err != nil {
			t.Fatal(err)
		}
		want, err := x.AppendDuplicates(nil, second)
		if err != nil {
			t.Fatal(err)
		}
		similarity, isDuplicate, err := c.Similarity(c.Compared(first), c.Compared(second))
		if err != nil || isDuplicate != (len(want) == 1) || isDuplicate && float32(similarity) != want[0].Similarity {
			t.Errorf("%d others: %v, %t, %v; the index finds %v", others, similarity, isDuplicate, err, want)
		}
		duplicates += len(want)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if duplicates < 5 || duplicates > 10 { // (100-n)/(100+n) ≥ .85 up to n = 8
		t.Errorf("%d of 40 are duplicates", duplicates)
	}
	whole := c.Compared(sketchOf(0))
	for n := range whole {
		if _, _, err := c.Similarity(whole, whole[:n]); !errors.Is(err, errNoSet) {
			t.Errorf("%d of %d words: %v", n, len(whole), err)
		}
	}
	odd := slices.Clone(whole)
	odd[p.signatureWords()] = 1 << 40
	if _, _, err := c.Similarity(odd, whole); !errors.Is(err, errNoSet) {
		t.Errorf("a set of 2⁴⁰ shingles: %v", err)
	}
}
