package stream

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"

	"github.com/bytedance/sonic"
)

// JSONLines are lines that are a JSON object each. The text is what the fields hold, with a newline between two of them.
func JSONLines(fields []Field) Format { return jsonLines{fields} }

type jsonLines struct{ fields []Field }

func (jsonLines) newCutter() cutter      { return lineCutter{newline: '\n'} }
func (f jsonLines) newParser() parser    { return &jsonText{fields: f.fields} }
func (f jsonLines) fieldNames() []string { return namesOf(f.fields) }
func (jsonLines) unit() string           { return "" }
func (jsonLines) frame() frame           { return frame{} }

func (jsonLines) convert() func(dst, record []byte, t *table) []byte { return nil }

// jsonText takes the text out of JSON records. It owns scratch memory: one for each goroutine.
type jsonText struct {
	fields []Field
	key    []byte // an unescaped member name
}

func (*jsonText) enter(*table) {}

func (*jsonText) next(buf []byte, at int) (start, body, end int) {
	body = at + bytes.IndexByte(buf[at:], '\n')
	return at, body, body + 1
}

// appendText appends the values of the fields to dst, with a newline between two of them. The whole of line must be
// one JSON object (RFC 8259): a record that is broken behind its text is broken all the same.
func (j *jsonText) appendText(dst, line []byte) ([]byte, Problem) {
	if p := checkObject(line); p.kind != readable {
		return dst, p
	}
	object := skipSpace(line, 0)
	for i, field := range j.fields {
		start, end, found := locate(line, object, field.steps, &j.key)
		if !found {
			return dst, Problem{noField, uint16(i)}
		}
		if line[start] != '"' {
			return dst, Problem{notString, uint16(i)}
		}
		if i > 0 {
			dst = append(dst, '\n')
		}
		var ok bool
		if dst, ok = appendUnquoted(dst, line[start+1:end-1]); !ok {
			return dst, Problem{kind: badJSON}
		}
	}
	return dst, Problem{}
}

// checkObject reports whether line is exactly one JSON object. sonic checks the structure many times faster than
// encoding/json does, but it looks at the inside of strings only to find their ends; checkStrings does the rest. What does not
// begin like an object is rare, and encoding/json may take its time to tell the two kinds of it apart.
func checkObject(line []byte) Problem {
	at := skipSpace(line, 0)
	if at == len(line) {
		return Problem{kind: blankLine}
	}
	if line[at] != '{' && json.Valid(line) {
		return Problem{kind: notObject}
	}
	if line[at] != '{' || !sonic.Valid(line) || !checkStrings(line) {
		return Problem{kind: badJSON}
	}
	return Problem{}
}

// checkStrings checks what RFC 8259 §7 asks of strings, in a line whose structure is known to be right: no raw control
// character, and no escape but the known ones. In such a line a backslash can only stand inside a string.
//
// It looks at eight bytes at a time for one that is either ("Determine if a word has a byte less than n", S. E. Anderson, Bit
// Twiddling Hacks: the lowest byte found is exact).
func checkStrings(line []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	rest := line
	for len(rest) > 0 {
		i := 0
		if len(rest) >= 8 {
			w := binary.LittleEndian.Uint64(rest)
			backslash := w ^ ones*'\\'
			found := ((w-ones*0x20)&^w | (backslash-ones)&^backslash) & tops
			if found == 0 {
				rest = rest[8:]
				continue
			}
			i = bits.TrailingZeros64(found) / 8
		} else if rest[0] >= 0x20 && rest[0] != '\\' {
			rest = rest[1:]
			continue
		}
		if rest[i] != '\\' {
			return json.Valid(line) // rare: white space between tokens, or a bad string
		}
		n := escapeLength(rest[i:])
		if n == 0 {
			return false
		}
		rest = rest[i+n:]
	}
	return true
}

// escapeLength returns the length of the escape that b begins with, or 0 if there is no such escape.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && isHex4(b[2:6]) {
			return 6
		}
	}
	return 0
}

func isHex4(b []byte) bool {
	for _, c := range b {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
