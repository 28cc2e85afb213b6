package sketch

import (
	"slices"
	"unicode/utf8"
)

// char makes each code point a token.
type char struct{}

func (char) Append(dst *Tokens, text []byte) {
	dst.joined = true
	base := len(dst.text)
	dst.text = append(slices.Grow(dst.text, len(text)+len(noStarts)), text...)
	dst.starts = appendCodePoints(dst.starts, dst.text, base)
}

// appendCodePoints appends the positions of the code points of text from text[base] on. There must
// be capacity for noStarts after text.
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

// noStarts are bytes that do not start a code point.
const noStarts = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80" +
	"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
