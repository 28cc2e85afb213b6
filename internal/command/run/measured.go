package run

import "github.com/mithril-stream/mithril-stream/stream"

// LengthWords is the number of words that a Measured sketcher adds to a sketch.
const LengthWords = 1

// Measured is a sketcher that appends the length of the text in bytes, or another measure of it, as
// the last word.
type Measured struct {
	stream.Sketcher
	By func(text []byte) int // nil for the length
}

// Unwrap returns the wrapped sketcher.
func (m Measured) Unwrap() stream.Sketcher { return m.Sketcher }

// Append appends the sketch of a text and its measure.
func (m Measured) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	dst, ok = m.Sketcher.Append(dst, text)
	switch {
	case !ok:
		return dst, false
	case m.By != nil:
		return append(dst, uint64(m.By(text))), true
	}
	return append(dst, uint64(len(text))), true
}
