package columns

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// members calls do with the name and the raw value of each member of an object, which must be valid
// JSON. name may be in scratch memory.
func members(object []byte, do func(name, value []byte) error) error {
	var scratch []byte
	i := next(object, 0)
	for i = next(object, i+1); i < len(object) && object[i] == '"'; i = next(object, i+1) {
		end := behindValue(object, i)
		name := text(&scratch, object[i:end])
		i = next(object, next(object, end)+1) // after the colon
		end = behindValue(object, i)
		if err := do(name, object[i:end]); err != nil {
			return err
		}
		if i = next(object, end); i >= len(object) || object[i] != ',' {
			break
		}
	}
	return nil
}

// next returns the index of the next byte that is not white space.
func next(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// behindValue returns the index after the value that begins at i.
func behindValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = behindString(b, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++ // inside an object or an array
			continue
		default:
			for i < len(b) && !ends(b[i]) {
				i++
			}
		}
		if depth <= 0 {
			break
		}
	}
	return i
}

// ends reports whether a byte cannot be in a number or a literal.
func ends(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// behindString goes from quote to quote. A quote after an odd number of backslashes belongs to the
// text.
func behindString(b []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		before := bytes.TrimRight(b[i:i+n], `\`)
		i += n + 1
		if (n-len(before))%2 == 0 {
			return i
		}
	}
}

// slack is the spare capacity that jsontext.AppendUnquoted needs at the end.
const slack = 256

// text returns the text of a JSON string: a part of value if possible, else of scratch. Invalid
// UTF-8 becomes U+FFFD, as in encoding/json.
func text(scratch *[]byte, value []byte) []byte {
	text := value[1 : len(value)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		*scratch = slices.Grow((*scratch)[:0], len(value)+slack)
		text = jsontext.AppendUnquoted(*scratch, value)
	}
	if !utf8.Valid(text) {
		text = []byte(string([]rune(string(text))))
	}
	return text
}
