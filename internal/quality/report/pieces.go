package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marked returns the shown beginning of a text with pieces marked: ascending, non-overlapping byte
// ranges. cut reports whether the text is longer.
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

// appendSpan joins pieces to the last span if that has the same mark.
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

// longestWord is the maximum length of a word in bytes. Longer ones, which are not words, are
// compared by character.
const longestWord = 60

// piecesOf divides a text into words, white space and single characters. In scripts written without
// spaces, each character is a piece. A truncated word is left out.
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

// WordsOf returns where the words of a text are. In scripts written without spaces, each character
// is a word.
func WordsOf(text []byte) (words [][2]int) {
	goesOn := false // the last word may continue
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		isRun := isWord(r)
		switch {
		case isRun && goesOn:
			words[len(words)-1][1] = at + size
		case isRun || unicode.IsLetter(r) || unicode.IsDigit(r):
			words = append(words, [2]int{at, at + size})
		}
		goesOn = isRun
		at += size
	}
	return words
}

func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
			unicode.Myanmar)
}

// readable makes a text printable: invalid UTF-8, and control characters other than line ends and
// tabs, become replacement characters. An incomplete character at the end is dropped.
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
