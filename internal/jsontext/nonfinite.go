package jsontext

import "bytes"

// WithoutNonFinite returns a JSON value with null in place of NaN, Infinity and -Infinity. One
// that has none is returned as it is.
func WithoutNonFinite(value []byte) []byte {
	if !bytes.Contains(value, []byte("NaN")) && !bytes.Contains(value, []byte("Infinity")) {
		return value
	}
	return appendJSON(make([]byte, 0, len(value)), value, false)
}

// AppendCompact appends a valid JSON value as one line, without white space between its parts.
func AppendCompact(dst, value []byte) []byte { return appendJSON(dst, value, true) }

// appendJSON appends a valid JSON value: as one line, without white space between its parts; or
// with null in place of numbers that are not finite.
func appendJSON(dst, value []byte, onOneLine bool) []byte {
	for i := 0; i < len(value); {
		switch c := value[i]; {
		case c == '"':
			end := SkipString(value, i)
			if end < 0 {
				return append(dst, value[i:]...)
			}
			dst = append(dst, value[i:end]...)
			i = end
		case onOneLine && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			i++
		case !onOneLine && (c == 'N' || c == 'I'):
			dst = append(bytes.TrimSuffix(dst, []byte{'-'}), "null"...)
			for i++; i < len(value) && 'a' <= value[i]|0x20 && value[i]|0x20 <= 'z'; {
				i++
			}
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}
