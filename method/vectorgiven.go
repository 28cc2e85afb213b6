package method

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// givenVectors are vectors that records have: no model makes them. How long they are is known when
// the first record was looked at.
type givenVectors struct{ c *config.Filter }

// modelOfGiven is the name of no model, where an index says which one it was made with.
const modelOfGiven = "none: vectors of records"

func (g givenVectors) Dims() int { return g.c.Dims }

func (givenVectors) Hash() string { return modelOfGiven }

func (givenVectors) Vectors() embedding.Vectors { return givenEncoder{} }

// Close has nothing to close.
func (givenVectors) Close() error { return nil }

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
