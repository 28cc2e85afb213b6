package sketch

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A text that has no white space for long is divided between two code points that the normaliser
// does not take together. A tokeniser of runs leaves its last token open, and the next window goes
// on with it. Others take what is certain, and get the rest again with the next window.

// An incremental Tokenizer can be given a text in pieces.
type incremental interface {
	Tokenizer
	// AppendSome appends the first tokens of text, those that are certain whatever follows text,
	// and returns the length of the text that it needs no more.
	AppendSome(dst *Tokens, text []byte) int
}

// canBeDivided reports whether the tokeniser takes texts without white space in pieces.
func canBeDivided(t Tokenizer) bool {
	switch t.(type) {
	case *runs, char, incremental:
		return true
	}
	return false
}

// A separable Normalizer says where a text may be cut, so that the normal forms of its parts make
// up its own.
type separable interface {
	// separates reports whether text may be cut before text[i], which is not its first byte;
	// letters is what startsWord takes.
	separates(text []byte, i int, letters *foldTable) bool
}

// separates: between any two code points, or two bytes that are none.
func (repair) separates(text []byte, i int, _ *foldTable) bool { return !isInside(text, i) }

// separates: before what composes with nothing before it.
func (n *nfkcFold) separates(text []byte, i int, _ *foldTable) bool {
	if isInside(text, i) {
		return false
	}
	r, _ := utf8.DecodeRune(text[i:])
	switch n.table.at(r) & kindMask {
	case kindInert, kindSame, kindFold:
		return true
	case kindSlow: // what becomes several code points, the first of them one of those
		p := norm.NFKC.Properties(text[i:])
		if d := p.Decomposition(); d != nil && p.BoundaryBefore() {
			first, _ := utf8.DecodeRune(d)
			return n.table.at(first)&kindMask <= kindFold
		}
	}
	return false
}

// separates: before a letter, since other code points may be taken together with those before them,
// or be removed.
func (*pipeline) separates(text []byte, i int, letters *foldTable) bool {
	if c := text[i]; c < utf8.RuneSelf {
		return 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return !isInside(text, i) && startsWord(text[i:], letters)
}

// isInside reports whether text[i] may belong to a code point that starts before it: those have at
// most four bytes.
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

// divide returns the length of a window of text, which is longer than that and has no better edge.
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

// A markCounter finds the places where the Stream-Safe limit of docs/design/sketch.md puts U+034F
// into a text, whose first code point follows nothing.
type markCounter struct{ at, count int }

const (
	mostMarks      = 30
	graphemeJoiner = "\u034f"
)

// next returns the next of these places, unless it is at to or after it.
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
