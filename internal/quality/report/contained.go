package report

import (
	"fmt"
	"strings"
)

// A Measure is what a similarity means.
type Measure int

// The measures. For all but the first, the page marks what both texts have instead of what one
// lacks.
const (
	Alike      Measure = iota // similarity of the whole texts
	InEarlier                 // share of the record that the earlier one contains
	HasEarlier                // share of the earlier record that this one contains
	InOther                   // share of the shorter one that the other contains
)

// Excerpt returns the number of bytes of a text that Record.Text needs: a contained part may be
// anywhere.
func (w Measure) Excerpt() int {
	if w == Alike {
		return Excerpt
	}
	return 16 * Excerpt
}

// Measured describes what the similarity measures.
func (e Example) Measured() string {
	switch e.Measure {
	case InEarlier:
		return fmt.Sprintf("%s of it is in the earlier one", similarity(e.Similarity))
	case HasEarlier:
		return fmt.Sprintf("%s of the earlier one is in it", similarity(e.Similarity))
	case InOther:
		return fmt.Sprintf("%s of one is in the other", similarity(e.Similarity))
	}
	return similarity(e.Similarity) + " similar"
}

// before is the number of bytes shown before the first common passage.
const before = 400

// around cuts two texts to what is shown: from shortly before the first common passage.
func around(text, earlier excerpt) (excerpt, excerpt) {
	numbers := map[string]int32{" ": 0}
	left, right := newSide(text, numbers, asItIs), newSide(earlier, numbers, asItIs)
	places := map[window]int{}
	right.windows(func(at int, w window) {
		if _, known := places[w]; !known {
			places[w] = at
		}
	})
	a, b := -1, 0
	left.windows(func(at int, w window) {
		if place, known := places[w]; known && a < 0 {
			a, b = at, place
		}
	})
	a = max(a, 0) // without a common passage, the beginnings are shown
	return text.from(left.bytes(0, a)), earlier.from(right.bytes(0, b))
}

// from returns the excerpt of a text around a passage.
func (of excerpt) from(passage int) excerpt {
	start := 0
	if passage > before {
		start = passage - before
		start += max(0, strings.IndexAny(of.text[start:passage], " \n")+1) // not inside a word
	}
	text := of.text[start:]
	if start > 0 {
		text = "… " + text
	}
	return excerpt{readable([]byte(text[:min(len(text), Excerpt)])), of.cut || len(text) > Excerpt}
}

// markShared marks what both texts have, instead of what one lacks.
func (e *Example) markShared() {
	for _, spans := range [][]Span{e.Text, e.Earlier} {
		for i := range spans {
			spans[i].Marked = !spans[i].Marked
		}
	}
}
