package sketchers

import (
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// GramSize is the number of tokens of the shingles that measure how much of a text another one
// lacks. A shorter text is one shingle.
const GramSize = 3

// Grams returns what makes the shingles of GramSize tokens of texts.
func Grams(text spec.Text) (*sketch.Sketcher, error) {
	return With(sketch.ShingleParams(text.Normalize, text.Tokenize, GramSize))
}

// TextMeasure returns what makes functions that measure texts by a rule of --keep and --prefer:
// fullest by the number of distinct shingles of GramSize tokens, others by the length in bytes.
func TextMeasure(text spec.Text, rule string) (func() func(text []byte) int, error) {
	if rule != "fullest" {
		return func() func([]byte) int { return func(text []byte) int { return len(text) } }, nil
	}
	grams, err := Grams(text)
	if err != nil {
		return nil, err
	}
	made, err := OfText(text.Markup, text.Normalize, text.Tokenize, func() stream.Sketcher {
		return sketch.Set{Sketcher: grams.Clone()}
	})
	return func() func([]byte) int {
		set, words := made(), []uint64(nil)
		return func(text []byte) int {
			var ok bool
			words, ok = set.Append(words[:0], text)
			count := 0
			if ok {
				count = int(words[0])
			}
			if ok && count == 0 {
				count = sketch.MaxSet + 1 // too many
			}
			if 8*cap(words) > MaxText {
				words = nil
			}
			return count
		}
	}, err
}
