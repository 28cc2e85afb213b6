package onnx

import (
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/sketch/embedding"
)

// An Encoder computes vectors of texts. It starts a child of its own with the first text. Each
// goroutine needs its own Encoder.
type Encoder struct {
	model     *Model
	tokenizer *embedding.Tokenizer
	child     *child
	failed    error
	tokens    []uint32
	ids       []uint32
	pool      pool
}

// NewEncoder returns an Encoder for the model.
func (m *Model) NewEncoder() *Encoder {
	return &Encoder{model: m, tokenizer: m.tokenizer.Clone(), pool: pool{how: m.pooling}}
}

// Vectors implements embedding.Provider, by an Encoder.
func (m *Model) Vectors() embedding.AppendVector { return m.NewEncoder().Append }

// Append appends the vector of a text, with unit length, to dst. A text with more tokens than the
// model accepts is divided into windows; the last may be shorter. The error is
// embedding.ErrNoTokens or ErrZero for a text without a vector. Any other error is final: the child
// has ended, or the output of the model is not a vector.
func (e *Encoder) Append(dst []float32, text []byte) ([]float32, error) {
	if e.failed != nil {
		return dst, e.failed
	}
	e.tokens = e.tokenizer.Append(e.tokens[:0], text)
	if len(e.tokens) == 0 {
		return dst, embedding.ErrNoTokens
	}
	e.pool.reset(e.model.dims)
	room := e.model.window - len(e.tokenizer.Before) - len(e.tokenizer.After)
	for rest := e.tokens; len(rest) > 0; {
		window := rest[:min(len(rest), room)]
		rest = rest[len(window):]
		e.ids = append(append(append(e.ids[:0], e.tokenizer.Before...), window...), e.tokenizer.After...)
		rows, err := e.run(e.ids)
		if err == nil && rows.dims != e.model.dims {
			err = fmt.Errorf("vectors of %d dimensions come after those of %d", rows.dims, e.model.dims)
		}
		if err != nil {
			return dst, e.fail(err)
		}
		e.pool.add(rows, len(window))
	}
	if cap(e.tokens) > maxKept {
		e.tokens = nil
	}
	return e.appendUnit(dst)
}

// maxKept is the number of tokens whose memory is kept from one text to the next.
const maxKept = 1 << 20

// appendUnit appends the pooled vector, divided by its length.
func (e *Encoder) appendUnit(dst []float32) ([]float32, error) {
	squares := 0.
	for d, v := range e.pool.values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, e.fail(fmt.Errorf("dimension %d of the vector of the text is %v", d, v))
		}
		squares += float64(v * v)
	}
	length := math.Sqrt(squares)
	switch {
	case squares == 0:
		return dst, embedding.ErrZero
	case math.IsInf(length, 0):
		return dst, e.fail(errors.New("the vector of the text is too long"))
	}
	for _, v := range e.pool.values {
		dst = append(dst, float32(v/length))
	}
	return dst, nil
}

// fail makes the encoder unusable.
func (e *Encoder) fail(err error) error {
	e.failed = fmt.Errorf("%s: %w", e.model.path, err)
	return e.failed
}

// run makes the child run the model.
func (e *Encoder) run(ids []uint32) (rows, error) {
	if e.child == nil {
		var err error
		if e.child, err = e.model.acquireChild(); err != nil {
			return rows{}, err
		}
	}
	return e.child.run(ids)
}
