package urlkey

import "bytes"

// What a byte of a path or a query is.
const (
	escaped    = iota // is written as an escape
	reserved          // means something else if it is an escape, and stays what it is
	unreserved        // means the same as its escape, and is written as itself (RFC 3986, section 2.3)
)

var classes = func() (of [256]uint8) {
	for c := range 256 {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', bytes.IndexByte([]byte("-._~"), byte(c)) >= 0:
			of[c] = unreserved
		case bytes.IndexByte([]byte("!$&'()*+,;=:@/?"), byte(c)) >= 0:
			of[c] = reserved
		}
	}
	return of
}()

const upperHex = "0123456789ABCDEF"

// appendEscapes appends text with its escapes in one form: none for unreserved characters, and
// capital letters for others. A plus of a query is a space.
func appendEscapes(dst, text []byte, isQuery bool) []byte {
	for i := 0; i < len(text); i++ {
		begin := i
		for i < len(text) && classes[text[i]] != escaped && (text[i] != '+' || !isQuery) {
			i++
		}
		if dst = append(dst, text[begin:i]...); i == len(text) {
			break
		}
		c := text[i]
		switch code, isEscape := escapeAt(text[i:]); {
		case isEscape:
			c = code
			i += 2
		case c == '+':
			c = ' '
		}
		if classes[c] == unreserved {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// escapeAt returns the byte that an escape at the beginning of text represents.
func escapeAt(text []byte) (c byte, ok bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	high, low := hexDigit(text[1]), hexDigit(text[2])
	return high<<4 | low, high < 16 && low < 16
}

// hexDigit returns the value of a digit, or 255.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// unescaped returns text with what its escapes represent.
func unescaped(text []byte) []byte {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if code, ok := escapeAt(text[i:]); ok {
			c = code
			i += 2
		}
		plain = append(plain, c)
	}
	return plain
}

// appendPath appends a path without dot segments (RFC 3986, section 5.2.4), without identifiers of
// sessions after a semicolon, and without slashes at its end.
func (w *Writer) appendPath(dst, path []byte) []byte {
	w.path = appendEscapes(w.path[:0], path, false)
	begin := len(dst)
	for rest := w.path; len(rest) > 0; {
		end := bytes.IndexByte(rest[1:], '/') + 1 // rest begins with a slash
		if end == 0 {
			end = len(rest)
		}
		segment := withoutSession(rest[:end])
		switch rest = rest[end:]; string(segment) {
		case "/.":
		case "/..":
			dst = dst[:begin+max(0, bytes.LastIndexByte(dst[begin:], '/'))]
		default:
			dst = append(dst, segment...)
		}
	}
	for len(dst) > begin && dst[len(dst)-1] == '/' {
		dst = dst[:len(dst)-1]
	}
	return dst
}
