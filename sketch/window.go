package sketch

// A text is worked on in windows, so that scratch memory does not grow with the text. A window ends before an ASCII
// letter or digit that follows ASCII white space: no normaliser changes anything across that edge, and no token
// spans it.
const windowSize = 64 << 10

// windows walks over a text for a Sketcher. Each call of next leaves the shingles of a window in s.shingles.
type windows struct {
	s    *Sketcher
	rest []byte // of the text
	any  bool   // a window had a shingle
}

func (s *Sketcher) windows(text []byte) windows {
	s.shingles.tokens.reset()
	s.shingles.span = s.params.ShingleSize
	return windows{s: s, rest: text}
}

func (w *windows) next() bool {
	if len(w.rest) == 0 {
		return false
	}
	s, tokens := w.s, &w.s.shingles.tokens
	n := windowEnd(w.rest)
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
func windowEnd(text []byte) int {
	for i := windowSize; i < len(text); i++ {
		if isASCIIAlnum(text[i]) && isASCIISpace(text[i-1]) {
			return i
		}
	}
	return len(text)
}

func isASCIIAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func isASCIISpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
