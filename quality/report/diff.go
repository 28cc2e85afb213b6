package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPieces bounds what is compared of two texts: the table of the comparison has its square.
const maxPieces = 1500

// Difference marks in two texts what the other one lacks, for an Example.
func Difference(a, b []byte) (left, right []Span) { return difference(readable(a), readable(b)) }

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

// difference marks in two texts what the other one lacks, word by word: all that is not part of a
// longest common subsequence of their pieces.
func difference(a, b string) (left, right []Span) {
	as, bs := pieces(a), pieces(b)
	same := 0
	for same < len(as) && same < len(bs) && as[same] == bs[same] {
		same++
	}
	left, right = appendSpan(nil, false, as[:same]...), appendSpan(nil, false, bs[:same]...)
	as, bs = as[same:], bs[same:]
	end := 0
	for end < len(as) && end < len(bs) && as[len(as)-1-end] == bs[len(bs)-1-end] {
		end++
	}
	tail := as[len(as)-end:]
	as, bs = as[:len(as)-end], bs[:len(bs)-end]
	if len(as) > maxPieces || len(bs) > maxPieces {
		left, right = appendSpan(left, true, as...), appendSpan(right, true, bs...)
	} else {
		left, right = compare(left, right, as, bs)
	}
	return appendSpan(left, false, tail...), appendSpan(right, false, tail...)
}

// compare walks along a longest common subsequence.
func compare(left, right []Span, as, bs []string) (l, r []Span) {
	width := len(bs) + 1
	longest := make([]uint16, (len(as)+1)*width) // of as[i:] and bs[j:]
	for i := len(as) - 1; i >= 0; i-- {
		for j := len(bs) - 1; j >= 0; j-- {
			if as[i] == bs[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(as) && j < len(bs) {
		switch {
		case as[i] == bs[j]:
			left, right = appendSpan(left, false, as[i]), appendSpan(right, false, bs[j])
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			left = appendSpan(left, true, as[i])
			i++
		default:
			right = appendSpan(right, true, bs[j])
			j++
		}
	}
	return appendSpan(left, true, as[i:]...), appendSpan(right, true, bs[j:]...)
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

// pieces cuts a text into words, and single characters between them. Characters of scripts that are
// written without spaces are pieces of their own.
func pieces(text string) (list []string) {
	for len(text) > 0 {
		end := 0
		for i, r := range text {
			if !isWord(r) {
				break
			}
			end = i + utf8.RuneLen(r)
		}
		if end == 0 {
			_, end = utf8.DecodeRuneInString(text)
		}
		list = append(list, text[:end])
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
