package method

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/memory/vectors"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/onnx"
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
func rowsOf(model embedding.Provider, markup string) (func() stream.Sketcher, KeyKind) {
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

// openModel opens the model that is asked for: a static one, if the directory has it, or else one
// of ONNX, which is an io.Closer.
func openModel(c config.EmbeddingFlags) (embedding.Provider, error) {
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
	return m, nil
}

// givenVectors are vectors that records have: no model makes them. How long they are is known when
// the first record was looked at.
type givenVectors struct{ c *config.Filter }

// modelOfGiven is the name of no model, where an index says which one it was made with.
const modelOfGiven = "none: vectors of records"

func (g givenVectors) Dims() int { return g.c.Dims }

func (givenVectors) Hash() string { return modelOfGiven }

func (givenVectors) Vectors() embedding.Vectors { return givenEncoder{} }

// dimsParameter is how many dimensions such vectors have, in an identity.
const dimsParameter = "dims"

// OfDims is the kind of vectors that records have, when it is known how many dimensions these have;
// other kinds stay as they are.
func (k KeyKind) OfDims(dims int) KeyKind {
	if _, given := k.Model.(givenVectors); given {
		k.Identity = append(slices.Clip(k.Identity), bloomlsh.Parameter{Name: dimsParameter, Value: strconv.Itoa(dims)})
	}
	return k
}

// A givenEncoder takes vectors as stream.Vectors hands them over.
type givenEncoder struct{}

// Append appends the values.
func (givenEncoder) Append(dst []float32, values []byte) ([]float32, error) {
	for ; len(values) >= 4; values = values[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(values)))
	}
	return dst, nil
}
