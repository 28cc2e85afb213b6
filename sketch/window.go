package sketch

import (
	"runtime"
	"unicode"
	"unicode/utf8"
)

// A text is worked on in windows, so that scratch memory does not grow with the text. A window ends
// before a letter or digit that follows ASCII white space: no normaliser changes anything across
// that edge, and no token spans it, if the white space is enough for the tokeniser.
const windowSize = 64 << 10

// windows walks over a text for a Sketcher. Each call of next leaves the shingles of a window in
// s.shingles.
type windows struct {
	s    *Sketcher
	rest []byte // of the text
	any  bool   // a window had a shingle
}

func (s *Sketcher) windows(text []byte) windows {
	s.shingles.tokens.Reset()
	s.shingles.span = s.params.ShingleSize
	return windows{s: s, rest: text}
}

func (w *windows) next() bool {
	if len(w.rest) == 0 {
		return false
	}
	if len(w.rest) > windowSize {
		// a long text is not to keep a core to itself: the reader of a pipe may wait for it, and
		// its writer for that one
		runtime.Gosched()
	}
	s, tokens := w.s, &w.s.shingles.tokens
	n := s.windowEnd(w.rest)
	s.normal = s.normalizer.Append(s.normal[:0], w.rest[:n])
	w.rest = w.rest[n:]
	tokens.keepLast(s.shingles.span - 1)
	s.tokenizer.Append(tokens, s.normal)
	w.any = w.any || s.shingles.len() > 0
	if len(w.rest) == 0 && !w.any && tokens.Len() > 0 {
		s.shingles.span = tokens.Len() // a text shorter than a shingle is one shingle
	}
	return true
}

// windowEnd returns the length of the next window of text.
func (s *Sketcher) windowEnd(text []byte) int {
	edge := tokenizers[s.params.Tokenize].edge
	for i := windowSize; i < len(text); i++ {
		if edge(text, i) && startsWord(text[i:], s.letters) {
			return i
		}
	}
	return len(text)
}

// startsWord reports whether text starts with a letter or digit that no normaliser removes, makes
// white space of, or composes with what is before it. Without the table that says so of letters
// beyond ASCII, it is true of ASCII only.
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
