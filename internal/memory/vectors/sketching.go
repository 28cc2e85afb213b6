package vectors

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Sketching makes sketches of texts, by any provider of vectors. A judge that is wrapped by
// Before ends a run at the first text whose vector could not be made.
type Sketching struct {
	*Failures
	provider embedding.Provider
	append   AppendVector
}

// An AppendVector appends the sketch of a vector.
type AppendVector func(dst []uint64, vector []float32) ([]uint64, error)

// NewSketching returns a Sketching for an Index whose vectors have as many dimensions as those of
// the provider.
func NewSketching(p embedding.Provider) *Sketching {
	return NewSketchingBy(p, rows.Words(p.Dims()), rows.Append)
}

// NewSketchingBy is like NewSketching, but uses another function to append a sketch. Each sketch
// must have at least the given number of words, two or more.
func NewSketchingBy(p embedding.Provider, words int, append AppendVector) *Sketching {
	return &Sketching{NewFailures(words), p, append}
}

// NewSketcher returns a sketcher of texts for one goroutine. A text without a vector has no sketch.
// Failures.Of and Failures.Before return errors.
func (s *Sketching) NewSketcher() stream.Sketcher {
	return &sketcher{of: s, vectors: s.provider.Vectors()}
}

type sketcher struct {
	of      *Sketching
	vectors embedding.AppendVector
	vector  []float32
}

// Append appends the sketch of a text.
func (s *sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	var err error
	s.vector, err = s.vectors(s.vector[:0], text)
	dims := s.of.provider.Dims()
	switch {
	case errors.Is(err, embedding.ErrNoTokens) || errors.Is(err, embedding.ErrZero):
		return dst, false
	case err == nil && len(s.vector) != dims:
		err = fmt.Errorf("the vector of the text has %d values, and not the %d of its provider", len(s.vector), dims)
	case err == nil:
		words, err = s.of.append(dst, s.vector)
	}
	if errors.Is(err, rows.ErrZero) {
		return dst, false
	}
	if err != nil {
		return append(dst, s.of.Add(err)), true
	}
	return words, true
}
