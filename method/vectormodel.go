package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/onnx"
)

// A vectorModel makes vectors of texts.
type vectorModel interface {
	Dims() int
	Hash() string
	newEncoder() vectorEncoder
	Close() error
}

// A vectorEncoder appends the vector of a text. Errors other than that a text has none are final.
type vectorEncoder interface {
	Append(dst []float32, text []byte) ([]float32, error)
}

type staticModel struct{ *embedding.Model }

func (m staticModel) newEncoder() vectorEncoder { return m.NewEncoder() }

// Close has nothing to close.
func (staticModel) Close() error { return nil }

// An onnxModel has a child for each encoder.
type onnxModel struct{ *onnx.Model }

func (m onnxModel) newEncoder() vectorEncoder { return m.NewEncoder() }

// openModel opens the model that is asked for: a static one, if the directory has it, or else one
// of ONNX.
func openModel(c config.EmbeddingFlags) (vectorModel, error) {
	if onnx.IsIn(c.Model) && !embedding.IsStatic(c.Model) {
		m, err := onnx.Open(c.Model, c.Pooling)
		if err != nil {
			return nil, err
		}
		return onnxModel{m}, nil
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
