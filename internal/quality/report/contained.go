package report

import (
	"fmt"
	"strings"
)

// A Way says what the similarity of a record with an earlier one is.
type Way int

// The ways. Of all but the first what both texts have is marked, and not what one of them lacks.
const (
	Alike      Way = iota // how similar they are as wholes
	InEarlier             // how much of the record is in the earlier one
	HasEarlier            // how much of the earlier one is in the record
	InOther               // how much of the shorter one is in the other one
)

// Excerpt is how many bytes of a text are worth handing over in Record.Text: where a part of one
// text is in another one, it may stand anywhere.
func (w Way) Excerpt() int {
	if w == Alike {
		return Excerpt
	}
	return 16 * Excerpt
}

// Measured is what a similarity says.
func (e Example) Measured() string {
	switch e.Way {
	case InEarlier:
		return fmt.Sprintf("%s of it is in the earlier one", similarity(e.Similarity))
	case HasEarlier:
		return fmt.Sprintf("%s of the earlier one is in it", similarity(e.Similarity))
	case InOther:
		return fmt.Sprintf("%s of one is in the other", similarity(e.Similarity))
	}
	return "similarity " + similarity(e.Similarity)
}

// before is how many bytes are shown of what stands before the first passage in common.
const before = 400

// around cuts two texts to what is shown of them: from shortly before the first passage that both
// have.
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
	a = max(a, 0) // with nothing in common the beginnings are shown
	return text.from(left.bytes(0, a)), earlier.from(right.bytes(0, b))
}

// from is what is shown of a text of which a passage begins at a byte.
func (of excerpt) from(passage int) excerpt {
	start := 0
	if passage > before {
		start = passage - before
		start += max(0, strings.IndexAny(of.text[start:passage], " \n")+1) // not within a word
	}
	text := of.text[start:]
	if start > 0 {
		text = "… " + text
	}
	return excerpt{readable([]byte(text[:min(len(text), Excerpt)])), of.cut || len(text) > Excerpt}
}

// markShared marks what both texts have, in place of what one of them lacks.
func (e *Example) markShared() {
	for _, spans := range [][]Span{e.Text, e.Earlier} {
		for i := range spans {
			spans[i].Marked = !spans[i].Marked
		}
	}
}
