package report

import (
	"fmt"
	"strings"
	"unicode"
)

// PageExcerpt is the number of bytes of a page that Record.Text needs, if main contents are
// extracted: they may begin far from its beginning.
const PageExcerpt = 64 << 10

// A shownText is what is shown of a record's text, and of all that is visible of a page.
type shownText struct {
	excerpt
	visible excerpt
	words   map[[3]string]bool // each three words of the visible text; nil if it is not a page
}

// shownOf extracts what is shown of a text.
func (c *Collector) shownOf(text []byte, m Measure) shownText {
	if c.Pages == nil {
		return shownText{excerpt: excerptOf(text, m.Excerpt())}
	}
	compared, visible := c.Pages(text)
	of := shownText{
		excerpt: excerptOf(compared, m.Excerpt()), visible: excerptOf(visible, Excerpt), words: wordsOfThree(visible),
	}
	if len(text) >= PageExcerpt {
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

// A Beside is all that is visible of two pages whose main contents were compared.
type Beside struct {
	Similarity    float64 // Jaccard similarity, of three words each
	Text, Earlier []Span
	Cut           bool // the texts are longer than shown
}

// Measured describes the similarity.
func (b Beside) Measured() string { return fmt.Sprintf("%.1f %% similar", 100*b.Similarity) }

// besideOf compares the visible texts of two pages. It returns nil if they are not pages.
func besideOf(text, earlier shownText) *Beside {
	if text.words == nil || earlier.words == nil {
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
		Similarity: float64(common) / float64(len(text.words)+len(earlier.words)-common),
		Text:       append(e.Text, Span{Text: e.Rest}), Earlier: append(e.Earlier, Span{Text: e.EarlierRest}),
		Cut: e.Cut,
	}
}
