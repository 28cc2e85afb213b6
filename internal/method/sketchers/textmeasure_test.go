package sketchers

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// TestFullestCountsRunsOfWords holds the measure of --keep fullest to its definition.
func TestFullestCountsRunsOfWords(t *testing.T) {
	makers := map[string]func() func([]byte) int{}
	for _, markup := range []string{"none", "html-text"} {
		made, err := TextMeasure(spec.Text{Markup: markup, Normalize: "nfkc-fold", Tokenize: "word"}, "fullest")
		if err != nil {
			t.Fatal(err)
		}
		makers[markup] = made
	}
	rapid.Check(t, func(t *rapid.T) {
		fullest, ofPage := makers["none"](), makers["html-text"]()
		for range 3 { // the same scratch memory
			words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "C", "c", "é"}), 0, 60).Draw(t, "words")
			want := map[string]bool{}
			for i := range words {
				want[strings.ToLower(strings.Join(words[i:min(i+GramSize, len(words))], " "))] = true
				if i+GramSize >= len(words) {
					break
				}
			}
			text := strings.Join(words, ", ")
			if got := fullest([]byte(text)); got != len(want) {
				t.Fatalf("%q: %d, want %d", text, got, len(want))
			}
			if got := ofPage([]byte("<p>" + text + "</p>")); got != len(want) {
				t.Fatalf("%q in a page: %d, want %d", text, got, len(want))
			}
		}
	})
}

// TestFullestLosesLeast: of all records of a group, the one that is measured as the fullest leaves
// the fewest runs of words that only the others have.
func TestFullestLosesLeast(t *testing.T) {
	made, err := TextMeasure(spec.Text{Markup: "none", Normalize: "none", Tokenize: "word"}, "fullest")
	if err != nil {
		t.Fatal(err)
	}
	grams, err := Grams(spec.Text{Normalize: "none", Tokenize: "word"})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		group := rapid.SliceOfN(rapid.SliceOfN(word, 1, 20), 2, 6).Draw(t, "group")
		fullest, best, most, least := made(), 0, -1, 1<<30
		var lost []int
		for i, words := range group {
			text := strings.Join(words, " ")
			if n := fullest([]byte(text)); n > most {
				best, most = i, n
			}
			kept, others := grams.Shingles(nil, []byte(text)), map[uint64]bool{}
			for _, other := range group {
				for _, h := range grams.Shingles(nil, []byte(strings.Join(other, " "))) {
					if !slices.Contains(kept, h) {
						others[h] = true
					}
				}
			}
			lost = append(lost, len(others))
			least = min(least, len(others))
		}
		if lost[best] != least {
			t.Fatalf("%v are lost, and record %d is the fullest", lost, best)
		}
	})
}
