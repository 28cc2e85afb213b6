package substr

import (
	"slices"
	"unicode/utf8"
)

// Span is a passage of a text that repeats what came before.
type Span struct {
	Start, End int   // the bytes text[Start:End]
	First      Place // where its first MinLength units occur first, if that was asked for
}

// Place is a position in one of the texts.
type Place struct{ Text, Offset int }

// AppendSpans appends the spans of a text, in order, to dst. They do not touch each other. Call it
// after Find.
//
// A window is Options.MinLength consecutive units. A span is a maximal passage whose units are all
// in repeated windows: windows whose bytes are a window of an earlier text, or of the same text
// further to the left; with Options.Against, windows whose bytes are a window of a text of the
// corpus.
//
// Spans are then shrunk so that they begin and end between characters, and with
// Options.WordBoundaries between words. Those with at most Options.Merge bytes between them become
// one, which is the passage of the first.
//
// An error means that the corpus could not be read.
func (f *Finder) AppendSpans(dst []Span, text int) ([]Span, error) {
	start, end := f.spool.bounds(text)
	t := f.spool.text[start:end]
	before := len(dst)
	for p := f.repeated.next(start, end, nil); p < end; {
		first, err := f.firstOf(p)
		if err != nil {
			return dst, err
		}
		s := Span{Start: p - start, First: first}
		for {
			s.End = f.options.windowEnd(t, p-start)
			adjacent, _, _ := f.options.Unit.next(t, s.End)
			last := f.repeated.last(p, min(start+adjacent+1, end))
			if last == p {
				break
			}
			p = last
		}
		p = f.repeated.next(start+s.End, end, nil)
		switch s.Start, s.End = f.options.shrink(t, s.Start, s.End); {
		case s.Start >= s.End:
		case len(dst) > before && s.Start-dst[len(dst)-1].End <= f.options.Merge:
			dst[len(dst)-1].End = s.End
		default:
			dst = append(dst, s)
		}
	}
	return dst, nil
}

// windowEnd is where the window that begins at p ends.
func (o Options) windowEnd(text []byte, p int) int {
	if o.Unit == Bytes {
		return p + o.MinLength
	}
	for range o.MinLength {
		_, p, _ = o.Unit.next(text, p)
	}
	return p
}

// shrink moves the ends of a span inwards to where a character begins and, with WordBoundaries,
// where no word is halved.
func (o Options) shrink(text []byte, start, end int) (int, int) {
	for start < end && !utf8.RuneStart(text[start]) {
		start++
	}
	for end > start && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	if !o.WordBoundaries || start == end {
		return start, end
	}
	if start > 0 && !spaceBefore(text, start) {
		start = skip(text[:end], start, false)
	}
	if end < len(text) && skip(text, end, true) == end { // a word goes on at end
		for end > start && !spaceBefore(text, end) {
			_, size := utf8.DecodeLastRune(text[:end])
			end -= size
		}
	}
	return start, max(start, end)
}

// spaceBefore tells if the character that ends at p is white space.
func spaceBefore(text []byte, p int) bool {
	_, size := utf8.DecodeLastRune(text[:p])
	return skip(text[:p], p-size, true) == p
}

// firstOf is where the window at position p of the spool occurs first; nowhere, if that was not
// asked for.
func (f *Finder) firstOf(p int) (Place, error) {
	i, ok := slices.BinarySearchFunc(f.matches, p, func(m match, p int) int { return m.at - p })
	if !ok {
		return Place{}, nil
	}
	q := f.matches[i].first
	if f.options.Against != nil {
		text, start, _, err := f.options.Against.bounds(q)
		return Place{text, q - start}, err
	}
	text := f.spool.at(q)
	start, _ := f.spool.bounds(text)
	return Place{text, q - start}, nil
}
