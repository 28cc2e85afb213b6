package signature

import (
	"fmt"
	"strconv"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/sketch/embedding"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// NewMinHash returns a Writer of MinHash signatures. Bands, Rows and BandKey are ignored, and may
// be zero.
func NewMinHash(p sketch.Params) (*Writer, error) {
	p.Bands, p.Rows, p.BandKey = 1, 1, "xxh3"
	s, err := sketch.New(p)
	if err != nil {
		return nil, err
	}
	seed := strconv.FormatUint(p.Seed, 10)
	if p.Secret != 0 {
		seed = p.Secret.String()
	}
	var slots []uint64
	return newWriter(MinHash, p.NumPerm, append(shinglesOf(p),
		parameter.Parameter{Name: "sketch", Value: p.Sketch},
		parameter.Parameter{Name: "num-perm", Value: strconv.Itoa(p.NumPerm)},
		parameter.Parameter{Name: "seed", Value: seed},
	), func(dst []uint64, text []byte) (words []uint64, ok bool) {
		if slots, ok = s.Signature(slots[:0], text); !ok {
			return dst, false
		}
		return sketch.AppendPacked(dst, slots, 8), true
	}), nil
}

// NewSimHash returns a Writer of SimHash fingerprints. Only Normalize, Tokenize and ShingleSize of
// shingles matter.
func NewSimHash(shingles sketch.Params, p simhash.Params) (*Writer, error) {
	shingles = sketch.ShingleParams(shingles.Normalize, shingles.Tokenize, shingles.ShingleSize)
	shingler, err := sketch.New(shingles)
	if err != nil {
		return nil, err
	}
	s, err := simhash.New(shingler, p)
	if err != nil {
		return nil, err
	}
	w := newWriter(SimHash, p.Bits, append(shinglesOf(shingles),
		parameter.Parameter{Name: "sketch", Value: "simhash"},
		parameter.Parameter{Name: "bits", Value: strconv.Itoa(p.Bits)},
		parameter.Parameter{Name: "weight", Value: p.Weight},
	), s.Append)
	if p.Weights != nil {
		w.like.Model = fmt.Sprintf("%016x", p.Weights.Hash())
	}
	return w, nil
}

// shinglesOf returns the parameters that determine shingles.
func shinglesOf(p sketch.Params) []parameter.Parameter {
	return []parameter.Parameter{
		{Name: "normalize", Value: p.Normalize}, {Name: "tokenize", Value: p.Tokenize},
		{Name: "shingle-size", Value: strconv.Itoa(p.ShingleSize)},
	}
}

// NewTLSH returns a Writer of TLSH digests of texts normalized in that way.
func NewTLSH(normalize string) (*Writer, error) {
	s, err := tlsh.NewSketcher(normalize)
	if err != nil {
		return nil, err
	}
	return newWriter(TLSH, tlshBuckets, []parameter.Parameter{
		{Name: "normalize", Value: normalize}, {Name: "sketch", Value: "tlsh"},
	}, s.Append), nil
}

// tlshBuckets is the size of a digest.
const tlshBuckets = 128

// NewEmbedding returns a Writer of the rows of vectors from any provider: a model of package
// embedding or onnx, or your own.
func NewEmbedding(p embedding.Provider) *Writer {
	vectorsOf, dims := p.Vectors(), p.Dims()
	var v []float32
	return newRows(p.Hash(), dims, func(dst []uint64, text []byte) (words []uint64, ok bool) {
		var err error
		if v, err = vectorsOf(v[:0], text); err == nil && len(v) == dims {
			words, err = rows.Append(dst, v)
			return words, err == nil
		}
		return dst, false
	})
}

// newRows returns a Writer of the rows of a model.
func newRows(model string, dims int, sum func([]uint64, []byte) ([]uint64, bool)) *Writer {
	w := newWriter(Embedding, dims, []parameter.Parameter{{Name: "sketch", Value: "embedding"}}, sum)
	w.like.Model = model
	return w
}

// OfVector returns the signature of a vector that was computed elsewhere, by the model with that
// name. The error is ErrEmpty if all values are zero, or one is not finite.
func OfVector(model string, vector []float32) (*Signature, error) {
	words, err := rows.Append(nil, vector)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEmpty, err)
	}
	return newRows(model, len(vector), nil).OfWords(words)
}

func newWriter(
	kind Kind, size int, parameters []parameter.Parameter, sum func([]uint64, []byte) ([]uint64, bool),
) *Writer {
	var lines []byte
	for _, p := range parameters {
		lines = parameter.AppendLine(lines, p)
	}
	return &Writer{
		like: Signature{Kind: kind, Size: size, Parameters: xxh3.Hash(lines)}, sum: sum, limit: DefaultLimit,
	}
}
