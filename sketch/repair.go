package sketch

import "unicode/utf8"

// repair replaces each byte that is not part of well-formed UTF-8 by U+FFFD.
type repair struct{}

func (repair) Append(dst, text []byte) []byte {
	for len(text) > 0 {
		if utf8.Valid(text) {
			return append(dst, text...)
		}
		n := validPrefix(text)
		dst = append(dst, text[:n]...)
		dst = utf8.AppendRune(dst, utf8.RuneError)
		text = text[n+1:]
	}
	return dst
}

// validPrefix returns the length of the well-formed UTF-8 at the start of a text that is not
// well-formed.
func validPrefix(text []byte) int {
	i := 0
	for {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}
