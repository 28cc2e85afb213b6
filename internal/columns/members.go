package columns

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/stream"
)

// members calls do with each member of an object that is known to be valid JSON: with its name, and
// with its value as it stands there. The name may be scratch memory.
func members(object []byte, do func(name, value []byte) error) error {
	var scratch []byte
	i := next(object, 0)
	for i = next(object, i+1); i < len(object) && object[i] == '"'; i = next(object, i+1) {
		end := behindValue(object, i)
		name := text(&scratch, object[i:end])
		i = next(object, next(object, end)+1) // behind the colon
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

// next is the index of the next byte that is no white space.
func next(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// behindValue is the index behind the value that begins at i.
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
			i++ // within an object or an array
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

// ends reports whether a byte is none of a number or a literal.
func ends(c byte) bool {
	switch c {
	case ',', ':', '}', ']', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// behindString goes from quotes to quotes. Behind an odd number of backslashes they are of the
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

// slack is what stream.AppendUnquoted wants to have free when it is at the end.
const slack = 256

// text is what a JSON string stands for: part of the value where it can be, and of scratch where it
// cannot. What is not UTF-8 becomes U+FFFD, as encoding/json has it.
func text(scratch *[]byte, value []byte) []byte {
	text := value[1 : len(value)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		*scratch = slices.Grow((*scratch)[:0], len(value)+slack)
		text = stream.AppendUnquoted(*scratch, value)
	}
	if !utf8.Valid(text) {
		text = []byte(string([]rune(string(text))))
	}
	return text
}
