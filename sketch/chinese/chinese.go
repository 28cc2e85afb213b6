// Package chinese is a tokenizer for package sketch that knows the words of Chinese. It is a
// separate package because of its cost: 1.2 MB of dictionary in the program and, once loaded, a
// tenth of a second and 7 MB of memory.
package chinese

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// Tokenizer returns a tokenizer that differs from the word tokenizer of package sketch in one
// respect: runs of Han characters are split into the most likely sequence of dictionary words, by
// their independent counts; a character in no word is a token. Each goroutine needs its own.
func (d *Dictionary) Tokenizer() sketch.Tokenizer {
	others, err := sketch.NewTokenizer("word")
	if err != nil {
		panic(err) // the name is valid
	}
	return &tokenizer{dictionary: d, others: others}
}

type tokenizer struct {
	dictionary *Dictionary
	others     sketch.Tokenizer
	end        sketch.Tokens // scratch space of appendOthers
	paths      []path        // scratch space of words
	ends       []int
}

// A path is the most likely sequence of words for a prefix of a run.
type path struct {
	cost uint64 // of its words; 0 if none ends here
	word int    // bytes of the last word
}

func (t *tokenizer) Append(dst *sketch.Tokens, text []byte) {
	for len(text) > 0 {
		n := span(text, len(text), false)
		t.others.Append(dst, text[:n])
		text = text[n:]
		n = span(text, maxRun, true)
		start := 0
		for _, end := range t.words(text[:n]) {
			dst.Add(text[start:end])
			start = end
		}
		text = text[n:]
	}
}

// AppendSome appends the tokens that are certain whatever follows text, and returns the length of
// the text they cover.
func (t *tokenizer) AppendSome(dst *sketch.Tokens, text []byte) int {
	for at := 0; ; {
		rest := text[at:]
		n := span(rest, len(rest), false)
		if n == len(rest) {
			return at + t.appendOthers(dst, rest)
		}
		piece := span(rest[n:], maxRun, true)
		if n+piece == len(rest) && piece < maxRun { // it may continue
			t.others.Append(dst, rest[:n])
			return at + n
		}
		t.Append(dst, rest[:n+piece])
		at += n + piece
	}
}

// appendOthers leaves the last token if it ends with text, since it may continue.
func (t *tokenizer) appendOthers(dst *sketch.Tokens, text []byte) int {
	end := text[max(0, len(text)-maxRun):]
	for len(end) > 0 && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	t.end.Reset()
	t.others.Append(&t.end, end)
	n := len(text)
	if last := t.end.Len() - 1; last >= 0 && bytes.HasSuffix(end, t.end.At(last)) {
		if n -= len(t.end.At(last)); last == 0 && len(t.end.At(0)) == len(end) {
			return 0 // it may begin anywhere before
		}
	}
	t.others.Append(dst, text[:n])
	return n
}

// words returns where the words of a run of Han characters end. The slice is valid until the next
// call.
func (t *tokenizer) words(run []byte) []int {
	t.paths = append(t.paths[:0], make([]path, len(run)+1)...)
	for i := 0; i < len(run); {
		first, size := utf8.DecodeRune(run[i:])
		t.reach(i, size, unknown)
		for end := i + size; end <= min(i+t.dictionary.longest[first], len(run)); {
			if word := t.dictionary.find(run[i:end]); word.cost > 0 {
				t.reach(i, end-i, word.cost)
			}
			_, next := utf8.DecodeRune(run[end:])
			end += max(next, 1)
		}
		i += size
	}
	t.ends = t.ends[:0]
	for end := len(run); end > 0; end -= t.paths[end].word {
		t.ends = append(t.ends, end)
	}
	slices.Reverse(t.ends)
	return t.ends
}

// reach records a word after the path to from, unless a cheaper path leads to its end.
func (t *tokenizer) reach(from, word int, cost uint32) {
	c := t.paths[from].cost + uint64(cost)
	if p := &t.paths[from+word]; p.cost == 0 || c < p.cost {
		*p = path{cost: c, word: word}
	}
}

// maxRun is the length in bytes at which a run is cut, even inside a word, to bound scratch memory.
// No real text has such runs.
const maxRun = 32 << 10

// span returns the length of the text before the first code point that is Han, or not Han, as han
// says, or that starts at or after limit.
func span(text []byte, limit int, han bool) int {
	i := 0
	for i < min(len(text), limit) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if isHan(r) != han {
			break
		}
		i += size
	}
	return i
}

// isHan reports whether r is a character of words. 々 and 〇 are, signs of the Han script such as
// U+2E80 are not.
func isHan(r rune) bool { return r > 0x2e7f && unicode.Is(unicode.Han, r) && unicode.Is(unicode.L, r) }
