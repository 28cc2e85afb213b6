package eval

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/memory/samples"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Vectors makes rows from texts by a model.
type Vectors struct {
	Dims        int
	NewSketcher func() stream.Sketcher          // of rows of package vectors
	Before      func(stream.Judge) stream.Judge // checks that rows could be made
}

// ofVectors returns the cosines to try.
func ofVectors() []float64 { return []float64{.8, .85, .9, .925, .95, .97, .98, .99, 1} }

func beginEmbedding(e *Evaluator, s Setting, _ size) (*trial, error) {
	if e.Vectors == nil {
		return nil, errors.New("the method embedding needs a model")
	}
	index, err := vectors.New(vectors.Params{Dims: e.Vectors.Dims, Threshold: s.Threshold})
	if err != nil {
		return nil, err
	}
	t := trialOf(index, e.Vectors.NewSketcher(), fmt.Sprintf("a cosine of at least %g", s.Threshold))
	t.judge = e.Vectors.Before(t.judge)
	return t, nil
}

// sampleScale is the scale of samples for containment.
const sampleScale = 16

func beginContainment(e *Evaluator, s Setting, _ size) (*trial, error) {
	shingler, err := e.NewSketcher(sketch.ShingleParams(e.Text.Normalize, e.Text.Tokenize, s.NGram))
	if err != nil {
		return nil, err
	}
	sketcher, err := fracminhash.New(shingler, fracminhash.Params{Scale: sampleScale, Beside: fracminhash.Finer})
	if err != nil {
		return nil, err
	}
	index, err := samples.New(samples.Params{Scale: sampleScale, Beside: fracminhash.Finer, Threshold: s.Threshold})
	if err != nil {
		return nil, err
	}
	return trialOf(index, sketcher, fmt.Sprintf("%g of a record in an earlier one", s.Threshold)), nil
}
