package method

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/onnx"
	"github.com/mithril-stream/mithril-stream/stream"
)

// VectorSketcher opens the model, and returns a function that makes sketchers with it.
func VectorSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	if c.Rule.Vectors.Field != "" {
		sketcher, kind := rowsOf(recordVectors{c.Rule.Vectors.Dims}, "none")
		return sketcher, kind, nil
	}
	if c.Rule.Vectors.Model == "" {
		return nil, identity.KeyKind{}, sketchers.NotOfShingles(spec.SketchEmbedding)
	}
	model, err := openModel(c.Rule.Vectors)
	if err != nil {
		return nil, identity.KeyKind{}, fmt.Errorf("--model: %w", err)
	}
	sketcher, kind := rowsOf(model, c.Rule.Text.Markup)
	return sketcher, kind, nil
}

// rowsOf returns a function that makes sketchers of texts from that markup. A sketch is a row with
// the vector of a model.
func rowsOf(model embedding.Provider, markup string) (func() stream.Sketcher, identity.KeyKind) {
	sketching := vectors.NewSketching(model)
	kind := identity.KeyKind{Banding: identity.OneKey, Model: model, Failures: sketching.Failures,
		Identity: append(identity.Markup(markup),
			bloomlsh.Parameter{Name: "sketch", Value: spec.SketchEmbedding},
			bloomlsh.Parameter{Name: "model", Value: model.Hash()},
			bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfVectors})}
	return sketching.NewSketcher, kind
}

// vectorParams returns the parameters of the memory.
func vectorParams(c spec.Method, of identity.KeyKind) vectors.Params {
	return vectors.Params{
		Dims: of.Model.Dims(), Threshold: c.Rule.Threshold, UnseenOnly: c.Memory.UnseenOnly(),
		Within: c.Rule.Within.Field != "",
	}
}

// openModel opens the requested model: a static one, if the directory has one, or else an ONNX
// model, which is an io.Closer.
func openModel(v spec.Vectors) (embedding.Provider, error) {
	if onnx.IsIn(v.Model) && !embedding.IsStatic(v.Model) {
		m, err := onnx.Open(v.Model, v.Pooling) // it has a child for each of its Vectors
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	if v.Pooling != "" {
		return nil, errors.New("--pooling is for ONNX models, and this directory has none: leave it out")
	}
	m, err := embedding.Open(v.Model)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// recordVectors are vectors of that many dimensions that come with the records, not from a model.
type recordVectors struct{ dims int }

// modelOfGiven is what an index stores as the name of the model if records bring their own vectors.
const modelOfGiven = "none: vectors of records"

func (g recordVectors) Dims() int { return g.dims }

func (recordVectors) Hash() string { return modelOfGiven }

func (recordVectors) Vectors() embedding.AppendVector { return appendGiven }

// dimsParameter is the name of the number of dimensions of such vectors in an identity.
const dimsParameter = "dims"

// vectorsOfTexts makes sketchers of the vectors that records have, once their length is known.
func vectorsOfTexts(_ spec.Method, t sketchers.Texts) (func() stream.Sketcher, identity.KeyKind, error) {
	sketcher, kind := rowsOf(recordVectors{t.Dims}, "none")
	kind.Identity = append(kind.Identity, bloomlsh.Parameter{Name: dimsParameter, Value: strconv.Itoa(t.Dims)})
	return sketcher, kind, nil
}

// appendGiven appends the values of a vector in the form of record.Vectors.
func appendGiven(dst []float32, values []byte) ([]float32, error) {
	for ; len(values) >= 4; values = values[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(values)))
	}
	return dst, nil
}
