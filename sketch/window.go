package sketch

import (
	"runtime"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A text is processed in windows, so that scratch memory does not grow with it. A window ends
// before a letter or digit that follows ASCII white space: no normalizer changes anything across
// that boundary, and no token spans it if white space separates tokens. Without such a boundary, as
// in scripts without spaces, divide.go determines where windows end.
const windowSize = 64 << 10

// windows iterates over a text for a Sketcher. Each call of next leaves the shingles of a window in
// s.shingles.
type windows struct {
	s      *Sketcher
	rest   []byte // of the text
	any    bool   // a window had a shingle
	enough int    // bytes of s.normal at which to call an incremental tokenizer
}

func (s *Sketcher) windows(text []byte) windows {
	s.shingles.tokens.Reset()
	s.shingles.span, s.shingles.open = s.params.ShingleSize, 0
	s.normal = s.normal[:0]
	return windows{s: s, rest: text}
}

func (w *windows) next() bool {
	if len(w.rest) == 0 {
		return false
	}
	s := w.s
	if len(w.rest) > s.window {
		// a long text must not monopolize a core: the reader of a pipe may be waiting for it, and
		// the writer for the reader
		runtime.Gosched()
	}
	n, edge := s.windowEnd(w.rest)
	s.normal = reserve(s.normal, 2*n, len(w.rest))
	s.normal = s.normalizer.Append(s.normal, w.rest[:n])
	if edge == brokenEdge {
		s.normal = append(s.normal, graphemeJoiner...)
	}
	w.rest = w.rest[n:]
	w.shingle(n, edge)
	return true
}

// shingle computes the shingles of s.normal, which n bytes of the text have become.
func (w *windows) shingle(n int, edge windowEdge) {
	s, tokens := w.s, &w.s.shingles.tokens
	s.shingles.known = false
	tokens.keepLast(s.shingles.span - 1 + s.shingles.open)
	if s.incremental != nil && edge != cleanEdge {
		w.tokenizeSome(s.incremental)
	} else {
		w.tokenize(edge != cleanEdge, len(w.rest)*len(s.normal)/n)
		s.normal = s.normal[:0]
	}
	w.any = w.any || s.shingles.len() > 0
	if len(w.rest) == 0 && !w.any && tokens.Len() > 0 {
		s.shingles.span = tokens.Len() // a text shorter than a shingle is one shingle
	}
}

// tokenize appends the tokens of s.normal. If tokens are runs, the last one stays open if it may
// continue; rest bytes may follow.
func (w *windows) tokenize(mayGoOn bool, rest int) {
	s, tokens := w.s, &w.s.shingles.tokens
	runs, _ := s.tokenizer.(*runs)
	if runs == nil || len(s.normal) == 0 {
		s.tokenizer.Append(tokens, s.normal)
		s.shingles.open = min(s.shingles.open, boolToInt(mayGoOn))
		return
	}
	first, _ := decodeRune(s.normal)
	last, _ := utf8.DecodeLastRune(s.normal)
	n, goesOn := tokens.Len(), s.shingles.open == 1 && runs.classes.at(first) == classIn
	if goesOn {
		tokens.text = tokens.text[:len(tokens.text)-1] // the space after the open token
		tokens.text = reserve(tokens.text, 2*len(s.normal), rest)
	}
	s.tokenizer.Append(tokens, s.normal)
	if goesOn {
		tokens.starts = slices.Delete(tokens.starts, n, n+1)
	}
	s.shingles.open = boolToInt(mayGoOn && runs.classes.at(last) == classIn)
}

// tokenizeSome appends the tokens of s.normal that are certain, and leaves the rest. If the rest is
// long, such as a word of megabytes, it waits for as much again, so that each byte is processed a
// few times.
func (w *windows) tokenizeSome(t incremental) {
	s := w.s
	if len(s.normal) < w.enough {
		return
	}
	n := t.AppendSome(&s.shingles.tokens, s.normal)
	s.normal = s.normal[:copy(s.normal, s.normal[n:])]
	w.enough = 2 * len(s.normal)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What is at the end of a window.
type windowEdge int

const (
	cleanEdge  windowEdge = iota // no token spans it
	openEdge                     // a token may span it
	brokenEdge                   // the same, and the Stream-Safe limit requires U+034F there
)

// windowEnd returns the length of the next window of text, and the kind of its end.
func (s *Sketcher) windowEnd(text []byte) (int, windowEdge) {
	if len(text) <= s.window {
		return len(text), cleanEdge
	}
	if s.letters == nil && !s.mapsLetters {
		s.letters = newFoldTable()
	}
	edge, patience := tokenizers[s.params.Tokenize].edge, len(text)
	if s.canBeDivided {
		patience = min(patience, s.window+s.window/8)
	}
	for i := s.window; i < patience; i++ {
		if edge(text, i) && startsWord(text[i:], s.letters) && (!s.keepsLines || afterLine(text, i)) {
			return i, cleanEdge
		}
	}
	if patience < len(text) {
		return s.divide(text)
	}
	return len(text), cleanEdge
}

// startsWord reports whether text starts with a letter or digit that no normalizer removes, turns
// into white space, or composes with what precedes it. Without a table for other letters it returns
// true only for ASCII.
func startsWord(text []byte, letters *foldTable) bool {
	if c := text[0]; c < utf8.RuneSelf {
		return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	r, _ := decodeRune(text)
	return letters != nil && letters.at(r)&kindMask <= kindFold && unicode.IsLetter(r)
}

func afterSpace(text []byte, i int) bool {
	return text[i-1] == ' ' || '\t' <= text[i-1] && text[i-1] <= '\r'
}

func afterLine(text []byte, i int) bool { return text[i-1] == '\n' }

func afterParagraph(text []byte, i int) bool { return text[i-1] == '\n' && text[i-2] == '\n' }
