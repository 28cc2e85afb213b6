package sketch

import "unicode/utf8"

// decodeRune is utf8.DecodeRune for a non-empty text, with sequences of two and three bytes, which
// are most of the world's text, decoded inline.
func decodeRune(p []byte) (rune, int) {
	c := p[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if len(p) >= 2 && isTwo(c, p[1]) {
		return rune(c&0x1f)<<6 | rune(p[1]&0x3f), 2
	}
	if len(p) >= 3 && isThree(c, p[1], p[2]) {
		return rune(c&0x0f)<<12 | rune(p[1]&0x3f)<<6 | rune(p[2]&0x3f), 3
	}
	return utf8.DecodeRune(p)
}

// isTwo reports whether two bytes are a well-formed sequence: a lead byte that does not begin an
// overlong form of ASCII, and a continuation byte.
func isTwo(c, c1 byte) bool { return c-0xc2 < 0xe0-0xc2 && c1&0xc0 == 0x80 }

// isThree reports whether three bytes are a well-formed sequence: a lead byte and two continuation
// bytes, neither overlong nor a surrogate.
func isThree(c, c1, c2 byte) bool {
	return c&0xf0 == 0xe0 && c1&0xc0 == 0x80 && c2&0xc0 == 0x80 && (c != 0xe0 || c1 >= 0xa0) && (c != 0xed || c1 < 0xa0)
}

// appendRune is utf8.AppendRune, likewise inline.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r < 0x80:
		return append(dst, byte(r))
	case r < 0x800:
		return append(dst, 0xc0|byte(r>>6), 0x80|byte(r)&0x3f)
	case r < 0x10000:
		return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(dst, r)
}
