package record

import (
	"bytes"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// NormalKey appends the normal form of a text that Exact has made: that of each string in it, so
// that what separates fields, values and members stays what it is. isAlone says that the text is
// one value of one field, or is of a format without fields; see IsAlone. normal appends the normal
// form of a string; field is the number of the line of the key that has the string, from 0.
func NormalKey(dst, key []byte, isAlone bool, normal func(dst, text []byte, field int) []byte) []byte {
	n := keyNormalizer{normal: normal}
	switch {
	case isAlone && !beginsNested(key):
		n.text = normal(n.text, unescapeAlone(key), 0)
		return appendAlone(dst, n.text)
	case isAlone:
		return n.nested(dst, key)
	}
	for {
		end := bytes.IndexByte(key, '\n')
		if end < 0 {
			return n.values(dst, key)
		}
		dst = append(n.values(dst, key[:end]), '\n')
		key = key[end+1:]
		n.field++
	}
}

// IsAlone reports whether Exact has the text of these fields be one value, which stands by itself.
func IsAlone(fields []Field) bool {
	return len(fields) == 0 || len(fields) == 1 && !fields[0].selectsSeveral()
}

// A keyNormalizer normalises the strings in a key.
type keyNormalizer struct {
	normal    func(dst, text []byte, field int) []byte
	field     int
	raw, text []byte // scratch: a string as it is, and its normal form
}

// beginsNested reports whether an object or a list begins there.
func beginsNested(key []byte) bool {
	return len(key) > 1 && key[0] == '\\' && (key[1] == '{' || key[1] == '[')
}

// unescapeAlone takes back what appendAlone has done to a text.
func unescapeAlone(key []byte) []byte {
	if rest := bytes.TrimLeft(key, `\`); len(key)-len(rest) > 1 && len(rest) > 0 && (rest[0] == '[' || rest[0] == '{') {
		return key[1:]
	}
	return key
}

// values appends the values of one field, or one of those of the only field.
func (n *keyNormalizer) values(dst, key []byte) []byte {
	for {
		end := endOfValue(key)
		switch value := key[:end]; {
		case beginsNested(value):
			dst = n.nested(dst, value)
		case string(value) == `\-` || string(value) == `\0`:
			dst = append(dst, value...)
		default:
			dst = n.string(dst, value)
		}
		if end == len(key) {
			return dst
		}
		dst = append(dst, `\,`...)
		key = key[end+2:]
	}
}

// endOfValue is where \, stands outside of strings of JSON, or the end.
func endOfValue(key []byte) int {
	isNested, inString := beginsNested(key), false
	start := 0
	if isNested {
		start = 2
	}
	for i := start; i < len(key); i++ {
		switch {
		case isNested && key[i] == '"':
			inString = !inString
		case key[i] != '\\' || i+1 == len(key):
		case !inString && key[i+1] == ',':
			return i
		default:
			i++
		}
	}
	return len(key)
}

// string appends a string that is one of several values.
func (n *keyNormalizer) string(dst, value []byte) []byte {
	n.raw = n.raw[:0]
	for i := 0; i < len(value); i++ {
		b := value[i]
		if b == '\\' && i+1 < len(value) {
			if i++; value[i] == 'n' {
				b = '\n'
			}
		}
		n.raw = append(n.raw, b)
	}
	n.text = n.normal(n.text[:0], n.raw, n.field)
	return appendPart(dst, n.text)
}

// nested appends an object or a list. The names of members are not normalized.
func (n *keyNormalizer) nested(dst, value []byte) []byte {
	for {
		start := bytes.IndexByte(value, '"')
		if start < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:start]...)
		end := jsontext.SkipString(value, start)
		if end < len(value) && value[end] == ':' {
			dst = append(dst, value[start:end]...)
		} else {
			raw, _ := jsontext.Unquote(&n.raw, value, start)
			n.text = n.normal(n.text[:0], raw, n.field)
			dst = appendCanonicalString(dst, n.text)
		}
		value = value[end:]
	}
}
