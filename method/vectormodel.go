package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/onnx"
)

// A vectorModel makes vectors of texts.
type vectorModel interface {
	embedding.Provider
	Close() error
}

type staticModel struct{ *embedding.Model }

// Close has nothing to close.
func (staticModel) Close() error { return nil }

// openModel opens the model that is asked for: a static one, if the directory has it, or else one
// of ONNX.
func openModel(c config.EmbeddingFlags) (vectorModel, error) {
	if onnx.IsIn(c.Model) && !embedding.IsStatic(c.Model) {
		m, err := onnx.Open(c.Model, c.Pooling) // it has a child for each of its Vectors
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	if c.Pooling != "" {
		return nil, errors.New("--pooling is for ONNX models, and this directory has none: leave it out")
	}
	m, err := embedding.Open(c.Model)
	if err != nil {
		return nil, err
	}
	return staticModel{m}, nil
}
