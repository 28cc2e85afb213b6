package record

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Exact returns a format whose texts are equal if, and only if, the contents of the fields are:
// values are joined so that different ones stay different, lone surrogates of JSON are
// distinguished from U+FFFD, and an object or a list becomes its canonical JSON. It is for methods
// that only compare for equality. Formats without fields are returned unchanged.
//
// The text of a single string is that string, but if it begins with backslashes and [ or {, another
// backslash precedes it. The text of a number is its characters, so it equals the string with these
// characters. If there are several values, each has its backslashes doubled and its newlines
// written as \n; a newline separates two fields, and the values of a single field, and \, separates
// the values of one field among several. \- is a field that is null or missing, \0 a null among
// several values, and \ precedes an object or a list. Inside these, members are sorted by name, the
// last of equal names counts, and numbers with the same value are written in the same way.
func Exact(f Format) Format {
	if rows, ok := f.(*csvRows); ok {
		exact := *rows
		exact.exact = true
		return &exact
	}
	return ofJSON(f, func(of *jsonRecords) { of.exact = true })
}

// Key returns a format of Exact whose texts are keys: a record that lacks one of the fields, or has
// null there, has no key, unless the field is optional. In rows an empty field is missing.
func Key(f Format) Format {
	if rows, ok := f.(*csvRows); ok {
		key := *rows
		key.isKey = true
		return &key
	}
	return ofJSON(f, func(of *jsonRecords) { of.isKey = true })
}

// key returns the text of a record under Exact.
func (j *jsonText) key(line []byte) ([]byte, Problem) {
	j.joined = j.joined[:0]
	isAlone, found := j.texts == 1 && !j.wants[0].several, false
	for i := range j.texts {
		w := j.wants[i]
		if i > 0 {
			j.joined = append(j.joined, '\n')
		}
		separator := "\n"
		if j.texts > 1 {
			separator = `\,`
		}
		values := 0
		for place := range w.found {
			if line[place] == 'n' && !w.several {
				j.skipped.note(omittedNull, i, w)
				continue
			}
			if values++; values > 1 {
				j.joined = append(j.joined, separator...)
			}
			j.joined = j.appendKey(j.joined, line, place, w.below, isAlone)
		}
		if values == 0 && j.isKey && !w.optional {
			return nil, j.missing(i)
		}
		if values == 0 && !isAlone {
			j.joined = append(j.joined, `\-`...)
		}
		if values == 0 && w.start < 0 {
			j.skipped.note(omittedMissing, i, w)
		}
		found = found || values > 0
		j.skipped.add(omittedPassed, i, w.passed)
	}
	if !found {
		return nil, j.absent(line)
	}
	return j.joined, Problem{}
}

// appendKey appends the value at line[i:]. isAlone says that nothing else is in the key.
func (j *jsonText) appendKey(dst, line []byte, i int, of below, isAlone bool) []byte {
	switch line[i] {
	case '"':
		text := exactString(&j.strings.scratch, line, i)
		if isAlone {
			return appendAlone(dst, text)
		}
		return appendPart(dst, text)
	case '{', '[':
		c := canonical{src: line, below: of}
		dst, _ = c.append(append(dst, '\\'), i)
		return dst
	case 'n':
		return append(dst, `\0`...)
	}
	return append(dst, line[i:j.value(i, 0, false)]...)
}

// appendAlone appends a text that is a key by itself, so that it is no object and no list.
func appendAlone(dst, text []byte) []byte {
	if len(text) > 1 && text[0] == '\\' {
		if rest := bytes.TrimLeft(text, `\`); len(rest) > 0 && (rest[0] == '[' || rest[0] == '{') {
			dst = append(dst, '\\')
		}
	}
	return append(dst, text...)
}

// appendPart appends a text that is one of several.
func appendPart(dst, text []byte) []byte {
	for {
		n := bytes.IndexAny(text, "\\\n")
		if n < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, text[:n]...), '\\')
		if text[n] == '\n' {
			dst = append(dst, 'n')
		} else {
			dst = append(dst, '\\')
		}
		text = text[n+1:]
	}
}

// exactString is unquote but for lone surrogates, which become the three bytes that UTF-8 would
// have for them, as in WTF-8.
func exactString(scratch *[]byte, src []byte, i int) []byte {
	text, _ := jsontext.Unquote(scratch, src, i)
	if !bytes.Contains(text, []byte("\ufffd")) {
		return text
	}
	buf := (*scratch)[:0:0]
	for i++; src[i] != '"'; {
		n := 1
		if src[i] != '\\' {
			buf = append(buf, src[i])
		} else if r, isLone := loneSurrogate(src[i:]); isLone {
			n = 6
			buf = append(buf, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		} else {
			buf, n = jsontext.DecodeEscape(buf, src[i:])
		}
		i += n
	}
	*scratch = buf
	return buf
}

// loneSurrogate reports whether src, which begins with an escape, begins with half of a pair.
func loneSurrogate(src []byte) (r rune, isLone bool) {
	if jsontext.EscapeLength(src) != 6 {
		return 0, false
	}
	if r = jsontext.Hex4(src[2:]); !utf16.IsSurrogate(r) {
		return r, false
	}
	if jsontext.EscapeLength(src[6:]) == 6 {
		return r, utf16.DecodeRune(r, jsontext.Hex4(src[8:])) == utf8.RuneError
	}
	return r, true
}

// canonical writes valid JSON so that equal values have equal bytes, and others have not.
type canonical struct {
	src   []byte
	below below
	name  []byte // scratch
	moved []byte // scratch
}

// A canonicalMember locates a member of an object in the output.
type canonicalMember struct {
	name       string
	start, end int
}

// append appends the value at src[i:], and returns the index after it.
func (c *canonical) append(dst []byte, i int) (_ []byte, end int) {
	switch c.src[i] {
	case '"':
		end = jsontext.SkipString(c.src, i)
		return appendCanonicalString(dst, exactString(&c.name, c.src, i)), end
	case '{':
		return c.object(dst, i)
	case '[':
		return c.list(dst, i)
	}
	s := jsonScanner{src: c.src}
	end = s.value(i, 0, false)
	return appendNumber(dst, c.src[i:end]), end
}

func (c *canonical) list(dst []byte, i int) (_ []byte, end int) {
	dst, i = append(dst, '['), jsontext.SkipSpace(c.src, i+1)
	for n := 0; c.src[i] != ']'; n++ {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst, i = c.append(dst, i)
		if i = jsontext.SkipSpace(c.src, i); c.src[i] == ',' {
			i = jsontext.SkipSpace(c.src, i+1)
		}
	}
	return append(dst, ']'), i + 1
}

func (c *canonical) object(dst []byte, i int) (_ []byte, end int) {
	begin := len(dst)
	var members []canonicalMember
	isSorted := true
	dst, i = append(dst, '{'), jsontext.SkipSpace(c.src, i+1)
	for c.src[i] == '"' {
		m := canonicalMember{name: string(exactString(&c.name, c.src, i))}
		i = jsontext.SkipSpace(c.src, jsontext.SkipSpace(c.src, jsontext.SkipString(c.src, i))+1) // the colon
		m.start = len(dst)
		dst = append(appendCanonicalString(dst, []byte(m.name)), ':')
		outer := c.below
		inside, _, counts := outer.of([]byte(m.name))
		c.below = inside
		dst, i = c.append(dst, i)
		c.below = outer
		if dst, m.end = append(dst, ','), len(dst); !counts {
			dst = dst[:m.start]
		} else {
			isSorted = isSorted && (len(members) == 0 || members[len(members)-1].name < m.name)
			members = append(members, m)
		}
		if i = jsontext.SkipSpace(c.src, i); c.src[i] == ',' {
			i = jsontext.SkipSpace(c.src, i+1)
		}
	}
	if !isSorted {
		dst = c.sort(dst, begin+1, members)
	}
	return append(bytes.TrimSuffix(dst, []byte{','}), '}'), i + 1
}

// sort sorts the members in dst from an index on by their names.
func (c *canonical) sort(dst []byte, from int, members []canonicalMember) []byte {
	slices.SortStableFunc(members, func(a, b canonicalMember) int { return cmp.Compare(a.name, b.name) })
	moved := c.moved[:0]
	for i, m := range members {
		if i+1 == len(members) || members[i+1].name != m.name { // the last one counts
			moved = append(append(moved, dst[m.start:m.end]...), ',')
		}
	}
	c.moved = moved
	return append(dst[:from], moved...)
}

// appendCanonicalString escapes what must be, and nothing else.
func appendCanonicalString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, b := range text {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b < 0x20:
			dst = jsontext.AppendEscaped(dst, b)
		default:
			dst = append(dst, b)
		}
	}
	return append(dst, '"')
}

// appendNumber appends a JSON number so that equal ones have equal bytes: its digits without zeros
// that make no difference, as an integer where that is short, and otherwise with an exponent.
// Literals of other kinds stay as they are.
func appendNumber(dst, literal []byte) []byte {
	n, ok := jsontext.ParseDecimal(literal)
	if !ok {
		return append(dst, literal...)
	}
	return n.Append(dst)
}
