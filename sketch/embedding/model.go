package embedding

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"
)

// The files of a model.
const (
	weightsFile   = "model.safetensors"
	tokenizerFile = "tokenizer.json"
)

// MaxDims is the maximum number of dimensions of a model.
const MaxDims = 4096

// A Model computes vectors of texts. It is immutable and safe for concurrent use.
type Model struct {
	dims      int
	vectors   []float32 // of the tokens, concatenated
	mapping   []uint32  // index of each token's vector; nil if it is the number of the token
	weights   []float32 // of each token; nil if all are 1
	tokenizer *tokenizer
	hash      string
}

// Open reads the model in a directory. An error names the file, and what is wrong or not supported.
func Open(dir string) (*Model, error) {
	weights, err := os.ReadFile(filepath.Join(dir, weightsFile))
	if err != nil {
		return nil, noModel(dir, err)
	}
	tokens, err := os.ReadFile(filepath.Join(dir, tokenizerFile))
	if err != nil {
		return nil, noModel(dir, err)
	}
	m := &Model{hash: hashOf(weights, tokens)}
	if m.tokenizer, err = newTokenizer(tokens); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, tokenizerFile), err)
	}
	if err = m.read(weights); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, weightsFile), err)
	}
	return m, nil
}

func noModel(dir string, err error) error {
	return fmt.Errorf("%s is not the directory of a model, which has %s, or model.onnx, and %s: %w", dir, weightsFile,
		tokenizerFile, err)
}

// read reads the vectors from a file, and checks that there is one for each token.
func (m *Model) read(file []byte) error {
	tensors, err := tensorsOf(file)
	if err != nil {
		return err
	}
	if m.vectors, m.dims, err = matrixOf(tensors); err != nil {
		return err
	}
	vectors, known := len(m.vectors)/m.dims, vectorsOf(tensors, len(m.vectors)/m.dims)
	if most := m.tokenizer.tokens(); most > known {
		return fmt.Errorf("it has vectors for %d tokens, and %s has %d", known, tokenizerFile, most)
	}
	if t, ok := tensors["mapping"]; ok {
		if m.mapping, err = t.below(vectors); err != nil {
			return err
		}
	}
	if t, ok := tensors["weights"]; ok {
		if m.weights, err = t.floats(); err != nil {
			return err
		}
		if len(m.weights) < m.tokenizer.tokens() {
			return fmt.Errorf("it has weights of %d tokens, and %s has %d", len(m.weights), tokenizerFile,
				m.tokenizer.tokens())
		}
	}
	return nil
}

// vectorsOf returns for how many tokens there are vectors.
func vectorsOf(tensors map[string]tensor, vectors int) int {
	if t, ok := tensors["mapping"]; ok {
		return len(t.data) / kindBytes[t.kind]
	}
	return vectors
}

// hashOf returns the hash of a model: xxh3-128 of the hashes of its files.
func hashOf(files ...[]byte) string {
	var all []byte
	for _, file := range files {
		sum := xxh3.Hash128(file).Bytes()
		all = append(all, sum[:]...)
	}
	sum := xxh3.Hash128(all).Bytes()
	return hex.EncodeToString(sum[:])
}

// Dims returns the number of dimensions.
func (m *Model) Dims() int { return m.dims }

// Hash identifies the files of the model, in 32 hexadecimal digits: models with the same hash
// compute the same vectors.
func (m *Model) Hash() string { return m.hash }

// NewEncoder returns an Encoder for one goroutine.
func (m *Model) NewEncoder() *Encoder {
	return &Encoder{model: m, words: wordIDs{known: map[string][]uint32{}}, sum: make([]float32, m.dims)}
}

// Vectors implements Provider, by an Encoder.
func (m *Model) Vectors() AppendVector { return m.NewEncoder().Append }

// An Encoder computes vectors of texts. It owns scratch memory, so each goroutine needs its own.
type Encoder struct {
	model  *Model
	words  wordIDs
	sum    []float32
	tokens int // number of tokens in sum
}

// Errors for texts without a vector.
var (
	ErrNoTokens = errors.New("the text has no token that the model knows")
	ErrZero     = errors.New("the vectors of the tokens of the text add up to zero, which has no direction")
)

// Append appends the vector of a text, with unit length, to dst. It depends only on the text and
// the model. Each byte of invalid UTF-8 is read as U+FFFD. The error is ErrNoTokens, ErrZero, or
// says which value is not finite; then nothing is appended.
func (e *Encoder) Append(dst []float32, text []byte) ([]float32, error) {
	clear(e.sum)
	e.tokens = 0
	e.model.tokenizer.encode(&e.words, text, e.add)
	if e.tokens == 0 {
		return dst, ErrNoTokens
	}
	squares := 0.
	for _, v := range e.sum {
		squares += float64(float64(v) * float64(v))
	}
	switch length := math.Sqrt(squares); {
	case squares == 0:
		return dst, ErrZero
	case math.IsNaN(length) || math.IsInf(length, 0):
		return dst, e.notFinite()
	default:
		for _, v := range e.sum {
			dst = append(dst, float32(float64(v)/length))
		}
	}
	return dst, nil
}

// add adds the vectors of some tokens.
func (e *Encoder) add(ids []uint32) {
	m := e.model
	e.tokens += len(ids)
	for _, id := range ids {
		at := int(id)
		if m.mapping != nil {
			at = int(m.mapping[id])
		}
		vector := m.vectors[at*m.dims:][:len(e.sum)]
		if m.weights == nil {
			addVector(e.sum, vector)
		} else {
			addWeighted(e.sum, vector, m.weights[id])
		}
	}
}

func (e *Encoder) notFinite() error {
	for i, v := range e.sum {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("dimension %d of the vector of the text is %v", i, v)
		}
	}
	return errors.New("the vector of the text is too long")
}
