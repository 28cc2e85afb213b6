package run

import "github.com/mithril-stream/mithril-stream/stream"

// LengthWords is what a measured sketcher adds to a sketch.
const LengthWords = 1

// Measured is a sketcher that adds the length of the text, as a last word.
type Measured struct{ stream.Sketcher }

// Unwrap returns the sketcher that is measured.
func (m Measured) Unwrap() stream.Sketcher { return m.Sketcher }

// Append appends the sketch of a text and its length.
func (m Measured) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	dst, ok = m.Sketcher.Append(dst, text)
	if ok {
		dst = append(dst, uint64(len(text)))
	}
	return dst, ok
}
