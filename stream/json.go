package stream

import (
	"bytes"
	"encoding/binary"
	"encoding/json"

	"github.com/bytedance/sonic"
)

// jsonText takes the text out of JSON records. It owns scratch memory: one for each goroutine.
type jsonText struct {
	fields []Field
	key    []byte // an unescaped member name
}

// appendText appends the values of the fields to dst, with a newline between two of them. The whole of line must be
// one JSON object (RFC 8259): a record that is broken behind its text is broken all the same.
func (j *jsonText) appendText(dst, line []byte) ([]byte, problem) {
	if p := checkObject(line); p.kind != readable {
		return dst, p
	}
	object := skipSpace(line, 0)
	for i, field := range j.fields {
		start, end, found := locate(line, object, field.steps, &j.key)
		if !found {
			return dst, problem{noField, uint16(i)}
		}
		if line[start] != '"' {
			return dst, problem{notString, uint16(i)}
		}
		if i > 0 {
			dst = append(dst, '\n')
		}
		var ok bool
		if dst, ok = appendUnquoted(dst, line[start+1:end-1]); !ok {
			return dst, problem{kind: badJSON}
		}
	}
	return dst, problem{}
}

// checkObject reports whether line is exactly one JSON object. sonic checks the structure many times faster than
// encoding/json does, but it looks at the inside of strings only to find their ends; checkStrings does the rest. What does not
// begin like an object is rare, and encoding/json may take its time to tell the two kinds of it apart.
func checkObject(line []byte) problem {
	at := skipSpace(line, 0)
	if at == len(line) {
		return problem{kind: blankLine}
	}
	if line[at] != '{' && json.Valid(line) {
		return problem{kind: notObject}
	}
	if line[at] != '{' || !sonic.Valid(line) || !checkStrings(line) {
		return problem{kind: badJSON}
	}
	return problem{}
}

// checkStrings checks what RFC 8259 §7 asks of strings, in a line whose structure is known to be right: no raw control
// character, and no escape but the known ones. In such a line a backslash can only stand inside a string.
func checkStrings(line []byte) bool {
	if hasControl(line) {
		return json.Valid(line) // rare: white space between tokens, or a bad string
	}
	for {
		i := bytes.IndexByte(line, '\\')
		if i < 0 {
			return true
		}
		if i+1 >= len(line) {
			return false
		}
		switch line[i+1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			line = line[i+2:]
		case 'u':
			if len(line) < i+6 || !isHex4(line[i+2:i+6]) {
				return false
			}
			line = line[i+6:]
		default:
			return false
		}
	}
}

// hasControl reports whether b has a byte below 0x20, eight bytes at a time ("Determine if a word has a byte less
// than n", S. E. Anderson, Bit Twiddling Hacks; exact for n ≤ 128).
func hasControl(b []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for len(b) >= 8 {
		w := binary.LittleEndian.Uint64(b)
		if (w-ones*0x20)&^w&tops != 0 {
			return true
		}
		b = b[8:]
	}
	for _, c := range b {
		if c < 0x20 {
			return true
		}
	}
	return false
}

func isHex4(b []byte) bool {
	for _, c := range b {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
