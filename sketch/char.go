package sketch

import (
	"slices"
	"unicode/utf8"
)

// char takes each code point as a token.
type char struct{}

func (char) Append(dst *Tokens, text []byte) {
	dst.joined = true
	base := len(dst.text)
	dst.text = append(slices.Grow(dst.text, len(text)+len(noStarts)), text...)
	dst.starts = appendCodePoints(dst.starts, dst.text, base)
}

// appendCodePoints appends where the code points of text start, from text[base] on. After the text
// there must be room for noStarts.
func appendCodePoints(dst []uint32, text []byte, base int) []uint32 {
	n, size := len(dst), len(text)-base
	dst = slices.Grow(dst, size+8)[:n+size]
	if hasAVX2 && size > 0 {
		copy(text[len(text):cap(text)], noStarts)
		return dst[:n+codePointsAVX2(&dst[n], &text[base], size, base)]
	}
	for i := base; i < len(text); i++ {
		dst[n] = uint32(i)
		if utf8.RuneStart(text[i]) { // compiled without a branch
			n++
		}
	}
	return dst[:n]
}

// noStarts are bytes of which none starts a code point.
const noStarts = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80" +
	"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
