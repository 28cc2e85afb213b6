package eval

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/memory/samples"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// sampleScale is the scale of the samples of containment.
const sampleScale = 16

func beginContainment(e *Evaluator, s Setting, _ size) (*trial, error) {
	shingler, err := e.NewSketcher(sketch.ShingleParams(e.Text.Normalize, e.Text.Tokenize, s.NGram))
	if err != nil {
		return nil, err
	}
	sketcher, err := fracminhash.New(shingler, fracminhash.Params{Scale: sampleScale})
	if err != nil {
		return nil, err
	}
	index, err := samples.New(samples.Params{Scale: sampleScale, Threshold: s.Threshold})
	if err != nil {
		return nil, err
	}
	return trialOf(index, sketcher, fmt.Sprintf("%g of a record in an earlier one", s.Threshold)), nil
}
