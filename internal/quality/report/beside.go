package report

import (
	"fmt"
	"strings"
	"unicode"
)

// PageExcerpt is the number of bytes of a page that Record.Text needs, if main contents are
// extracted: they may begin far from its beginning.
const PageExcerpt = 64 << 10

// A Transformation is what happens to texts before they are compared.
type Transformation struct {
	// Of returns what is compared of a text, and what a reader of the record sees of it. It is
	// called for the records that are shown. The results are valid until the next call.
	Of      func(text []byte) (compared, seen []byte)
	Seen    string // name of what is seen, as the beginning of a sentence
	Excerpt int    // the number of bytes of a text that Record.Text needs
}

// A shownText is what is shown of a record's text: what was compared, and what a reader sees of the
// record.
type shownText struct {
	excerpt
	visible excerpt
	words   map[[3]string]bool // all runs of three words that a reader sees; nil if these were compared
}

// shownOf extracts what is shown of a text.
func (c *Collector) shownOf(text []byte, m Measure) shownText {
	if c.Transformed == nil {
		return shownText{excerpt: excerptOf(text, m.Excerpt())}
	}
	compared, visible := c.Transformed.Of(text)
	of := shownText{
		excerpt: excerptOf(compared, m.Excerpt()), visible: excerptOf(visible, Excerpt), words: wordsOfThree(visible),
	}
	if len(text) >= c.Transformed.Excerpt {
		of.cut, of.visible.cut = true, true
	}
	return of
}

func wordsOfThree(text []byte) map[[3]string]bool {
	set := map[[3]string]bool{}
	words := strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
	for i := range max(1, len(words)-2) {
		var three [3]string
		copy(three[:], words[i:min(i+3, len(words))])
		set[three] = true
	}
	return set
}

// A Beside is what a reader sees of two records whose texts were transformed before they were
// compared.
type Beside struct {
	Seen          string  // name of what is seen
	Similarity    float64 // Jaccard similarity of the runs of three words
	Text, Earlier []Span
	Cut           bool // the texts are longer than shown
}

// Measured describes the similarity.
func (b Beside) Measured() string { return fmt.Sprintf("%.1f %% similar", 100*b.Similarity) }

// besideOf compares what a reader sees of two records. It returns nil if that is what was compared.
func besideOf(text, earlier shownText, seen string) *Beside {
	isSame := text.visible == text.excerpt && earlier.visible == earlier.excerpt
	if text.words == nil || earlier.words == nil || isSame {
		return nil
	}
	common := 0
	for three := range text.words {
		if earlier.words[three] {
			common++
		}
	}
	var e Example
	e.compare(text.visible, earlier.visible)
	return &Beside{
		Seen:       seen,
		Similarity: float64(common) / float64(len(text.words)+len(earlier.words)-common),
		Text:       append(e.Text, Span{Text: e.Rest}), Earlier: append(e.Earlier, Span{Text: e.EarlierRest}),
		Cut: e.Cut,
	}
}
