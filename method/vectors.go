package method

import (
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/stream"
)

// VectorSketcher opens the model, and returns what makes vectors with it.
func VectorSketcher(c *config.Filter) (func() stream.Sketcher, KeyKind, error) {
	if c.Vector != "" {
		sketcher, kind := rowsOf(givenVectors{c}, "none")
		return sketcher, kind, nil
	}
	if c.Model == "" {
		return nil, KeyKind{}, fmt.Errorf("--sketch %s is for the filter and groups: this command compares sets of "+
			"shingles", config.SketchEmbedding)
	}
	model, err := openModel(c.EmbeddingFlags)
	if err != nil {
		return nil, KeyKind{}, fmt.Errorf("--model: %w", err)
	}
	sketcher, kind := rowsOf(model, c.Text.Markup)
	return sketcher, kind, nil
}

// rowsOf returns what makes rows of the vectors of a model, of texts out of that markup.
func rowsOf(model vectorModel, markup string) (func() stream.Sketcher, KeyKind) {
	kind := KeyKind{Bands: 1, Votes: 1, Model: model, Failures: &failures{words: vectors.RowWords(model.Dims())},
		Identity: []bloomlsh.Parameter{
			{Name: "markup", Value: markup},
			{Name: "sketch", Value: config.SketchEmbedding},
			{Name: "model", Value: model.Hash()},
			{Name: MemoryParameter, Value: MemoryOfVectors},
		}}
	return func() stream.Sketcher {
		return &rowSketcher{encoder: model.newEncoder(), failures: kind.Failures}
	}, kind
}

// A rowSketcher is a sketcher whose sketches are rows of vectors.
type rowSketcher struct {
	encoder  vectorEncoder
	failures *failures
	vector   []float32
}

// Append appends the row of a text. A text that has no vector has nothing to compare.
func (s *rowSketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	var err error
	s.vector, err = s.encoder.Append(s.vector[:0], text)
	switch {
	case errors.Is(err, embedding.ErrNoTokens) || errors.Is(err, embedding.ErrZero):
		return dst, false
	case err != nil:
		return append(dst, s.failures.add(err)), true
	}
	return vectors.AppendRow(dst, s.vector), true
}

// vectorParams are the parameters of the memory.
func vectorParams(c *config.Filter, of KeyKind) vectors.Params {
	return vectors.Params{
		Dims: of.Model.Dims(), Threshold: c.Similar.Threshold, UnseenOnly: c.Index.Remember == "unseen",
	}
}
