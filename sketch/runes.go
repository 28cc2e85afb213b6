package sketch

import "unicode/utf8"

// decodeRune is utf8.DecodeRune for a text that is not empty, with the two- and three-byte sequences of most of the
// world's text decoded in line.
func decodeRune(p []byte) (rune, int) {
	c := p[0]
	if c < utf8.RuneSelf {
		return rune(c), 1
	}
	if len(p) >= 2 && 0xc2 <= c && c <= 0xdf && p[1]&0xc0 == 0x80 {
		return rune(c&0x1f)<<6 | rune(p[1]&0x3f), 2
	}
	if len(p) >= 3 && c&0xf0 == 0xe0 && p[1]&0xc0 == 0x80 && p[2]&0xc0 == 0x80 {
		r := rune(c&0x0f)<<12 | rune(p[1]&0x3f)<<6 | rune(p[2]&0x3f)
		if r >= 0x800 && r&^0x7ff != 0xd800 {
			return r, 3
		}
	}
	return utf8.DecodeRune(p)
}

// appendRune is utf8.AppendRune, likewise.
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
