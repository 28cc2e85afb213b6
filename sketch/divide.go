package sketch

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A text without white space for a long stretch is divided between two code points that the
// normalizer does not combine. A tokenizer of runs leaves its last token open, and the next window
// continues it. Other tokenizers take what is certain, and get the rest again with the next window.

// incremental is a Tokenizer that accepts a text in pieces.
type incremental interface {
	Tokenizer
	// AppendSome appends the first tokens of text that are certain whatever follows, and returns
	// the length of the text that is no longer needed.
	AppendSome(dst *Tokens, text []byte) int
}

// canBeDivided reports whether the tokenizer accepts texts without white space in pieces.
func canBeDivided(t Tokenizer) bool {
	switch t.(type) {
	case *runs, char, incremental:
		return true
	}
	return false
}

// separable is a Normalizer that knows where a text may be cut, such that the normal forms of its
// parts form its own.
type separable interface {
	// separates reports whether text may be cut before text[i], i > 0. letters is the argument of
	// startsWord.
	separates(text []byte, i int, letters *foldTable) bool
}

// Any two code points, or invalid bytes, may be separated.
func (repair) separates(text []byte, i int, _ *foldTable) bool { return !isInside(text, i) }

// A text may be cut before a code point that composes with nothing before it.
func (n *nfkcFold) separates(text []byte, i int, _ *foldTable) bool {
	if isInside(text, i) {
		return false
	}
	r, _ := utf8.DecodeRune(text[i:])
	switch n.table.at(r) & kindMask {
	case kindInert, kindSame, kindFold:
		return true
	case kindSlow: // it becomes several code points, and the first of them is decisive
		p := norm.NFKC.Properties(text[i:])
		if d := p.Decomposition(); d != nil && p.BoundaryBefore() {
			first, _ := utf8.DecodeRune(d)
			return n.table.at(first)&kindMask <= kindFold
		}
	}
	return false
}

// A text may be cut before a letter, since other code points may be combined with those before
// them, or be removed.
func (*pipeline) separates(text []byte, i int, letters *foldTable) bool {
	if c := text[i]; c < utf8.RuneSelf {
		return 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return !isInside(text, i) && startsWord(text[i:], letters)
}

// isInside reports whether text[i] may belong to a code point that starts before it. Code points
// have at most four bytes.
func isInside(text []byte, i int) bool {
	if utf8.RuneStart(text[i]) {
		return false
	}
	for j := i - 1; j >= max(0, i-3); j-- {
		if utf8.RuneStart(text[j]) {
			return true
		}
	}
	return false
}

// divide returns the length of a window of text, which is longer and has no better boundary.
func (s *Sketcher) divide(text []byte) (int, windowEdge) {
	normalizer := s.normalizer.(separable)
	marks := markCounter{}
	for i := s.window; i < len(text); i++ {
		if normalizer.separates(text, i, s.letters) {
			return i, openEdge
		}
		// So many marks that the Stream-Safe limit divides them.
		if n, ok := s.normalizer.(*nfkcFold); ok && i >= 2*s.window {
			if at, ok := marks.next(n, text, i); ok && at >= s.window {
				return at, brokenEdge
			}
		}
	}
	return len(text), cleanEdge
}

// A markCounter finds the positions where the Stream-Safe limit of docs/design/sketch.md inserts
// U+034F into a text whose first code point follows nothing.
type markCounter struct{ at, count int }

const (
	mostMarks      = 30
	graphemeJoiner = "\u034f"
)

// next returns the next of these positions before to.
func (m *markCounter) next(n *nfkcFold, text []byte, to int) (at int, ok bool) {
	for m.at < to {
		r, size := utf8.DecodeRune(text[m.at:])
		at = m.at
		m.at += size
		if n.table.at(r)&kindMask == kindStrip {
			continue
		}
		switch lead, trail := n.nonStarters(r); {
		case lead == 0:
			m.count = trail
		case m.count+lead > mostMarks:
			m.count = lead
			return at, true
		default:
			m.count += lead
		}
	}
	return 0, false
}

// nonStarters returns the numbers of non-starters at the two ends of the NFKD of r.
func (n *nfkcFold) nonStarters(r rune) (lead, trail int) {
	if ends, ok := n.ends[r]; ok {
		return ends[0], ends[1]
	}
	d := []rune(norm.NFKD.String(string(r)))
	for lead < len(d) && !startsSegment(d[lead]) {
		lead++
	}
	for trail < len(d) && !startsSegment(d[len(d)-1-trail]) {
		trail++
	}
	if n.ends == nil {
		n.ends = make(map[rune][2]int)
	}
	n.ends[r] = [2]int{lead, trail}
	return lead, trail
}

func startsSegment(r rune) bool { return norm.NFKC.PropertiesString(string(r)).BoundaryBefore() }
