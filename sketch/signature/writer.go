package signature

import (
	"errors"
	"fmt"
	"slices"
)

// DefaultLimit is the maximum number of bytes of a text by default.
const DefaultLimit = 64 << 20

var (
	// ErrEmpty is returned if a text has nothing to compare: no tokens, or too few bytes.
	ErrEmpty = errors.New("the text has nothing to compare")
	// ErrTooLong is returned if a text exceeds the limit.
	ErrTooLong = errors.New("the text is too long")
)

// A Writer makes signatures of texts written in pieces, which may end anywhere, even within a
// character. It buffers the whole text, up to a limit. It is not safe for concurrent use.
type Writer struct {
	like  Signature // without words
	sum   func(dst []uint64, text []byte) (words []uint64, ok bool)
	text  []byte
	limit int
	long  bool
}

// SetLimit sets the maximum number of bytes of a text, for this and all later texts.
func (w *Writer) SetLimit(bytes int) { w.limit = bytes }

// Write adds a piece of the text. It returns ErrTooLong once the limit is exceeded.
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

// Sum returns the signature of the text so far. More pieces may follow.
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

// OfWords returns the signature with words that were made elsewhere in the same way. The error is
// ErrCorrupt if their number is wrong.
func (w *Writer) OfWords(words []uint64) (*Signature, error) {
	s := w.like
	s.Words = slices.Clone(words)
	return &s, s.check()
}

// Of returns the signature of a whole text, which replaces what was written before.
func (w *Writer) Of(text []byte) (*Signature, error) {
	w.Reset()
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	return w.Sum()
}

// Reset begins a new text.
func (w *Writer) Reset() { w.text, w.long = w.text[:0], false }
