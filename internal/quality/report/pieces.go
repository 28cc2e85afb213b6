package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marked is the first bytes of a text as it is shown, in which the pieces are marked: byte offsets
// that do not overlap, in their order. cut says that there was more of it.
func Marked(text []byte, pieces [][2]int) (spans []Span, cut bool) {
	cut = len(text) > Excerpt
	text = text[:min(len(text), Excerpt)]
	at := 0
	for _, p := range pieces {
		start, end := min(p[0], len(text)), min(p[1], len(text))
		spans = appendSpan(spans, false, readable(text[at:start]))
		spans = appendSpan(spans, true, readable(text[start:end]))
		at = end
	}
	return appendSpan(spans, false, readable(text[at:])), cut
}

// appendSpan joins pieces to the last span, if that is marked like them.
func appendSpan(spans []Span, marked bool, pieces ...string) []Span {
	text := strings.Join(pieces, "")
	if text == "" {
		return spans
	}
	if last := len(spans) - 1; last >= 0 && spans[last].Marked == marked {
		spans[last].Text += text
		return spans
	}
	return append(spans, Span{text, marked})
}

// longestWord is how many bytes a word has that is compared as one. Longer ones, which are none,
// are compared by characters.
const longestWord = 60

// piecesOf cuts a text into words, white space and single characters between them. Characters of
// scripts that are written without spaces are pieces of their own. A word that was cut off is left
// out.
func piecesOf(of excerpt) (list []string) {
	kindOf := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	for text := of.text; len(text) > 0; {
		first, end := utf8.DecodeRuneInString(text)
		kind := kindOf(first)
		for kind != 0 && end < len(text) {
			next, size := utf8.DecodeRuneInString(text[end:])
			if kindOf(next) != kind {
				break
			}
			end += size
		}
		switch {
		case kind == 1 && of.cut && end == len(text) && len(list) > 0:
			return list
		case kind == 1 && end > longestWord:
			list = append(list, strings.Split(text[:end], "")...)
		default:
			list = append(list, text[:end])
		}
		text = text[end:]
	}
	return list
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar)
}

// readable makes a text one that can be shown: bytes that are no UTF-8 and control characters, but
// for line ends and tabs, become the replacement character. Half a character at the end is left
// out.
func readable(text []byte) string {
	for cut := 1; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if start := len(text) - cut; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				text = text[:start]
			}
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(string(text), "\r\n", "\n"), "\uFFFD"))
}
