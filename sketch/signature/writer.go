package signature

import (
	"errors"
	"fmt"
	"slices"
)

// DefaultLimit is how many bytes of a text a Writer takes.
const DefaultLimit = 64 << 20

var (
	// ErrEmpty says that a text has nothing to compare: no token, or too few bytes.
	ErrEmpty = errors.New("the text has nothing to compare")
	// ErrTooLong says that a text is longer than the limit.
	ErrTooLong = errors.New("the text is too long")
)

// A Writer makes signatures of texts that come in pieces, which may end anywhere, also within a
// character. It keeps a text until it is complete, up to a limit. It is not safe for concurrent
// use.
type Writer struct {
	like  Signature // without words
	sum   func(dst []uint64, text []byte) (words []uint64, ok bool)
	text  []byte
	limit int
	long  bool
}

// SetLimit sets how many bytes a text may have, from the next Reset on as well.
func (w *Writer) SetLimit(bytes int) { w.limit = bytes }

// Write adds a piece of the text. Beyond the limit it takes nothing more, and returns ErrTooLong.
func (w *Writer) Write(piece []byte) (n int, err error) {
	if room := w.limit - len(w.text); w.long || len(piece) > room {
		w.long = true
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrTooLong, w.limit)
	}
	w.text = append(w.text, piece...)
	return len(piece), nil
}

// WriteString is Write of a string.
func (w *Writer) WriteString(piece string) (n int, err error) { return w.Write([]byte(piece)) }

// Sum returns the signature of the text so far. It may be called again after more pieces.
func (w *Writer) Sum() (*Signature, error) {
	if w.long {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrTooLong, w.limit)
	}
	s := w.like
	var ok bool
	if s.Words, ok = w.sum(nil, w.text); !ok {
		return nil, ErrEmpty
	}
	return &s, nil
}

// OfWords returns the signature that has these words, which were made elsewhere in the same way.
// The error is ErrCorrupt if it cannot have so many.
func (w *Writer) OfWords(words []uint64) (*Signature, error) {
	s := w.like
	s.Words = slices.Clone(words)
	return &s, s.check()
}

// Of returns the signature of a whole text, which takes the place of what was written before.
func (w *Writer) Of(text []byte) (*Signature, error) {
	w.Reset()
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	return w.Sum()
}

// Reset begins a new text.
func (w *Writer) Reset() { w.text, w.long = w.text[:0], false }
