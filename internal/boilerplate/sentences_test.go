package boilerplate

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sentencesOf are the parts of a text that have a letter or a digit, trimmed.
func sentencesOf(text string) (list []string) {
	for p := range Sentences.parts([]byte(text)) {
		if p.hash != 0 {
			list = append(list, string(trim([]byte(text[p.start:p.end]))))
		}
	}
	return list
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"One two three. Four five six!  Seven eight nine": {"One two three.", "Four five six!", "Seven eight nine"},
		"Dr. Smith is in. Home. News. All of it is new.":  {"Dr. Smith is in.", "Home. News. All of it is new."},
		"He said “come to me!” (He came.) It is so, too.": {"He said “come to me!”", "(He came.) It is so, too."},
		"It costs 3.50 here, e.g. for tea. Buy it.":       {"It costs 3.50 here, e.g. for tea.", "Buy it."},
		"First line is here.\nOne two.\n\n  A b c. D":     {"First line is here.", "One two.", "A b c.", "D"},
		"山上有一條河流，很長。它流到海裡去。":                              {"山上有一條河流，很長。", "它流到海裡去。"},
		"是。它流到海裡去，很遠很遠。":                                  {"是。它流到海裡去，很遠很遠。"},
		"One two three.":           {"One two three."},
		"... --- !!! . ":           nil,
		"A b c.d e f. G":           {"A b c.d e f.", "G"},
		"One two \xff three. Four": {"One two \xff three.", "Four"},
	} {
		if got := sentencesOf(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSentenceCuts: what is left of a text are its sentences that are not boilerplate, in their
// order and lines.
func TestSentenceCuts(t *testing.T) {
	sentence := rapid.SampledFrom([]string{
		"Read more on our blog.", "All rights reserved!", "“Write to us now.”", "Dr.",
		"The river rises in a meadow.", "Bread is made of flour?", "—", "Home", "它流到海裡去，很遠很遠。",
	})
	line := rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{" ", "  "}).Draw(t, "space")
		return strings.Join(rapid.SliceOfN(sentence, 0, 5).Draw(t, "sentences"), space)
	})
	rapid.Check(t, func(t *rapid.T) {
		var pages []page
		for range rapid.IntRange(1, 12).Draw(t, "pages") {
			lines := rapid.SliceOfN(line, 1, 4).Draw(t, "lines")
			pages = append(pages, page{"", strings.Join(lines, "\n")})
		}
		table := tableOf(t, Options{Unit: Sentences, MinShare: .4, MinRecords: 2, Memory: 1 << 20}, pages, 4096)
		c := NewCutter(table)
		for _, p := range pages {
			site := siteOf(nil, true)
			var want []string
			for _, s := range sentencesOf(p.text) {
				if table.find(keyOf(site, hashOf([]byte(s)))) < 0 {
					want = append(want, s)
				}
			}
			found, left := len(c.Find(site, []byte(p.text))), p.text
			cuts := slices.Clone(c.Cuts(len(p.text)))
			for i := len(cuts) - 1; i >= 0; i-- {
				if i > 0 && cuts[i].Start < cuts[i-1].End {
					t.Fatalf("%q: %v", p.text, cuts)
				}
				left = left[:cuts[i].Start] + left[cuts[i].End:]
			}
			if found == 0 && left != p.text || strings.Join(sentencesOf(left), "|") != strings.Join(want, "|") {
				t.Fatalf("%q: left %q, want %q", p.text, left, want)
			}
		}
	})
}
