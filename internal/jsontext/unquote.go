// Package jsontext reads and writes strings and numbers of JSON, and the white space between them,
// as bytes. It knows nothing of records.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Special bytes cannot be in a JSON string unescaped: quotes, backslashes and control characters
// (RFC 8259 §7). specialBytes sets the top bit of the first of them among eight bytes, or no bit if
// no byte is special; bits of later bytes have no meaning. It tests for a byte less than n, as in
// "Determine if a word has a byte less than n" (S. E. Anderson, Bit Twiddling Hacks); flipping bit
// 1 puts quotes right after the control characters, which saves a test.
func specialBytes(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	return (((w ^ ones*2) - ones*0x21) | ((w ^ ones*'\\') - ones)) &^ w & tops
}

// plainEnd returns the index of the first special byte at or after src[i], or len(src).
func plainEnd(src []byte, i int) int {
	long := i + 24 // names and other short strings end before
	for ; i+8 <= len(src); i += 8 {
		if i == long && hasAVX2 {
			if i += plainBytesAVX2(&src[i], len(src)-i); i+8 > len(src) {
				break
			}
		}
		if special := specialBytes(binary.LittleEndian.Uint64(src[i:])); special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(src) && src[i] >= 0x20 && src[i] != '"' && src[i] != '\\' {
		i++
	}
	return i
}

// PlainEnd returns the index of the first byte at or after src[i] that ends a run of plain text in
// a JSON string: quotes, a backslash or a control character. Without one it is len(src).
func PlainEnd(src []byte, i int) int { return plainEnd(src, i) }

// SkipString returns the index after the JSON string that begins at src[i] with quotes, or -1 if
// it is not valid.
func SkipString(src []byte, i int) int {
	i = plainEnd(src, i+1)
	for i < len(src) && src[i] == '\\' {
		n := EscapeLength(src[i:])
		if n == 0 {
			return -1
		}
		i = plainEnd(src, i+n)
	}
	if i == len(src) || src[i] != '"' {
		return -1
	}
	return i + 1
}

// Unquote returns the text of the JSON string that begins at src[i] with quotes, and the index
// after it, or -1 if it is not valid. The text is part of src where possible, else of scratch. A
// lone surrogate becomes U+FFFD; invalid UTF-8 is kept.
func Unquote(scratch *[]byte, src []byte, i int) (text []byte, end int) {
	i++
	plain := plainEnd(src, i)
	if plain < len(src) && src[plain] == '"' {
		return src[i:plain], plain + 1
	}
	buf := append((*scratch)[:0], src[i:plain]...)
	start, i := i, plain
	for i < len(src) && src[i] == '\\' {
		n := 0
		if buf, n = DecodeEscape(withRoom(buf, src, start, i), src[i:]); n == 0 {
			return nil, -1
		}
		buf, i = appendUnescaped(buf, src, start, i+n)
	}
	*scratch = buf
	if i == len(src) || src[i] != '"' {
		return nil, -1
	}
	return buf, i + 1
}

// AppendUnquoted appends to dst the text of a JSON string, given with its quotes, or nothing if it
// is not valid. A lone surrogate becomes U+FFFD; invalid UTF-8 is kept.
func AppendUnquoted(dst, value []byte) []byte {
	rest := dst[len(dst):]
	text, end := Unquote(&rest, value, 0)
	if end != len(value) {
		return dst
	}
	return append(dst, text...)
}

// appendUnescaped appends the text of src[i:] up to the next quote, control character or escape
// longer than two bytes, or the end of src, and returns that index. The string begins at
// src[start], and dst already holds the part before i.
func appendUnescaped(dst, src []byte, start, i int) ([]byte, int) {
	for i+8 <= len(src) && (src[i] != '\\' || src[i+1] != 'u') {
		dst = withRoom(dst, src, start, i)
		room := min(cap(dst)-len(dst), len(src)-i)
		n, read, stopped := copyUnescaped(dst[len(dst):len(dst)+room], src[i:i+room])
		dst, i = dst[:len(dst)+n], i+read
		if stopped {
			return dst, i
		}
	}
	end := plainEnd(src, i)
	return append(dst, src[i:end]...), end
}

// withRoom returns dst with capacity for more of a string that begins at src[start]; dst already
// holds the part before i. Each step leaves its predecessor as garbage. A short string grows in
// large steps, but not to all of src, which may be much longer; for a long one its end is looked
// up.
func withRoom(dst, src []byte, start, i int) []byte {
	const fewest, long = 256, 64 << 10
	switch left := len(src) - i; {
	case cap(dst)-len(dst) >= fewest:
		return dst
	case len(dst) < long:
		return slices.Grow(dst, max(fewest, min(3*len(dst), left)))
	}
	end := plainEnd(src, i)
	for end+2 < len(src) && src[end] == '\\' {
		end = plainEnd(src, end+2)
	}
	likely := float64(end-i) * float64(len(dst)) / float64(i-start) // as what is before
	return slices.Grow(dst, max(fewest, len(dst)/8, int(likely*1.05)))
}

// copyUnescaped is appendUnescaped into to, which is as long as from. It stopped if it found what
// it looks for; otherwise it has come to the last bytes of one of the two. Real texts have an
// escape every thirty or forty bytes, so it copies eight bytes while it looks at them, and stays
// here for the common ones: that takes half the time of skipping to each, copying what is before
// it, and calling a function.
func copyUnescaped(to, from []byte) (written, read int, stopped bool) {
	to = to[:len(from)] // spares checks in the loop
	if len(from) >= 256 {
		switch {
		case hasAVX512:
			written, read, stopped = copyUnescapedAVX512(&to[0], &from[0], len(from), &unescaped)
		case hasAVX2:
			written, read, stopped = copyUnescapedAVX2(&to[0], &from[0], len(from), &unescaped)
		}
		if stopped {
			return written, read, true
		}
	}
	for read <= len(from)-8 && written <= len(to)-8 {
		w := binary.LittleEndian.Uint64(from[read:])
		binary.LittleEndian.PutUint64(to[written:], w)
		special := specialBytes(w)
		if special == 0 {
			written += 8
			read += 8
			continue
		}
		plain := bits.TrailingZeros64(special) / 8
		written += plain
		read += plain
		if read+1 >= len(from) {
			return written, read, false
		}
		c := unescaped[from[read+1]]
		if from[read] != '\\' || c == 0 {
			return written, read, true
		}
		to[written] = c
		written++
		read += 2
	}
	return written, read, false
}

// DecodeEscape appends the character of the escape that src begins with, and returns the length of
// the escape, or 0 if it is invalid.
func DecodeEscape(dst, src []byte) ([]byte, int) {
	n := EscapeLength(src)
	if n == 0 {
		return dst, 0
	}
	if n == 2 {
		return append(dst, unescaped[src[1]]), 2
	}
	r := Hex4(src[2:])
	if utf16.IsSurrogate(r) {
		pair := rune(utf8.RuneError)
		if EscapeLength(src[6:]) == 6 {
			pair = utf16.DecodeRune(r, Hex4(src[8:]))
		}
		if r = pair; pair != utf8.RuneError {
			n = 12
		}
	}
	return utf8.AppendRune(dst, r), n
}

// unescaped has what stands after the backslash of an escape of two bytes.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// EscapeLength returns the length of the escape that b begins with, or 0 if there is no such
// escape.
func EscapeLength(b []byte) int {
	switch {
	case len(b) < 2 || b[0] != '\\':
		return 0
	case unescaped[b[1]] != 0:
		return 2
	case b[1] == 'u' && len(b) >= 6 && Hex4(b[2:]) >= 0:
		return 6
	}
	return 0
}

// Hex4 returns the value of four hexadecimal digits, or -1 if they are not.
func Hex4(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
