package method

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/vectors"
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
	sketching := vectors.NewSketching(model)
	kind := KeyKind{Bands: 1, Votes: 1, Model: model, Failures: sketching.Failures,
		Identity: []bloomlsh.Parameter{
			{Name: "markup", Value: markup},
			{Name: "sketch", Value: config.SketchEmbedding},
			{Name: "model", Value: model.Hash()},
			{Name: MemoryParameter, Value: MemoryOfVectors},
		}}
	return sketching.NewSketcher, kind
}

// vectorParams are the parameters of the memory.
func vectorParams(c *config.Filter, of KeyKind) vectors.Params {
	return vectors.Params{
		Dims: of.Model.Dims(), Threshold: c.Similar.Threshold, UnseenOnly: c.Index.Remember == "unseen",
	}
}
