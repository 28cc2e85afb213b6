package overlap

import (
	"bytes"
	"html"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// escape reads the escape sequence, tag, entity or member name that may begin with the ASCII
// character text[i], and returns its length in bytes.
func (p *placed) escape(i int) (size int) {
	text := p.text
	switch c := text[i]; c {
	case '\\':
		return p.backslash(i)
	case '<':
		if size, isInline := tagAt(text[i:]); size > 0 {
			if !isInline {
				p.boundary(i)
			}
			return size
		}
	case '&':
		if r, size := entityAt(text[i:]); size > 0 {
			p.addRune(r, i, size)
			return size
		}
	case ',':
		if isDigitAt(text, i-1) && isDigitAt(text, i+1) && len(p.raw) > 0 {
			return 1 // 1,000
		}
	case '"', '\'':
		if size := p.memberAt(i); size > 0 {
			p.boundary(i)
			return size
		}
		if c == '\'' {
			return 1 // an apostrophe
		}
	}
	p.endWord(i)
	p.last = text[i]
	return 1
}

// boundary ends a word as white space does, at markup that belongs to no word.
func (p *placed) boundary(at int) {
	p.endWord(at)
	p.inChunk, p.chunk = len(p.words), -1
}

func isDigitAt(text []byte, i int) bool {
	return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9'
}

// backslash reads backslashes and what they escape: \n, \r and \t, \u and \x with digits. Several
// of them, as in text that was escaped more than once, count as one.
func (p *placed) backslash(i int) (size int) {
	text, end := p.text, i
	for end < len(text) && text[end] == '\\' {
		end++
	}
	if end == len(text) {
		p.endWord(i)
		return end - i
	}
	switch text[end] {
	case 'n', 'r', 't':
		p.boundary(i)
		return end + 1 - i
	case 'u', 'x':
		if r, size := escapedRune(text[end:]); size > 0 {
			p.addRune(r, i, end+size-i)
			return end + size - i
		}
	case '\'', '"':
		return end - i // the escaped character speaks for itself
	}
	p.endWord(i)
	return end - i
}

// escapedRune decodes u1234, a surrogate pair of them, or x12 at the beginning of text. The size is
// 0 if text begins with none of these.
func escapedRune(text []byte) (r rune, size int) {
	digits := func(from, count int) (rune, bool) {
		if from+count > len(text) {
			return 0, false
		}
		n, err := strconv.ParseUint(string(text[from:from+count]), 16, 32)
		return rune(n), err == nil
	}
	if text[0] == 'x' {
		if r, ok := digits(1, 2); ok {
			return r, 3
		}
		return 0, 0
	}
	r, ok := digits(1, 4)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 5
	}
	for next := 5; next < len(text); next++ {
		if text[next] == '\\' {
			continue
		}
		if low, ok := digits(next+1, 4); ok && text[next] == 'u' {
			if both := utf16.DecodeRune(r, low); both != unicode.ReplacementChar {
				return both, next + 5
			}
		}
		break
	}
	return unicode.ReplacementChar, 5
}

// mostEntity bounds the length of an entity.
const mostEntity = 40

// entityAt decodes an HTML entity such as &nbsp; or &#10; at the beginning of text, also if its &
// was escaped again. The size is 0 if text does not begin with an entity.
func entityAt(text []byte) (r rune, size int) {
	at := 1
	for bytes.HasPrefix(text[at:], []byte("amp;")) {
		at += len("amp;")
	}
	end := bytes.IndexByte(text[at:min(len(text), at+mostEntity)], ';')
	if end <= 0 {
		if at > 1 {
			return '&', at
		}
		return 0, 0
	}
	entity := "&" + string(text[at:at+end+1])
	meant := html.UnescapeString(entity)
	r, length := utf8.DecodeRuneInString(meant)
	if meant == entity || length != len(meant) {
		if at > 1 {
			return '&', at
		}
		return 0, 0
	}
	return r, at + end + 1
}

// elements contains the HTML elements whose tags are recognized, and whether they are inline: then
// their tags do not separate words.
var elements = func() map[string]bool {
	isInline := map[string]bool{}
	for _, name := range []string{
		"br", "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "table", "tbody", "thead", "tr", "td", "th", "hr", "pre",
		"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "center", "section", "article", "option", "label",
	} {
		isInline[name] = false
	}
	for _, name := range []string{
		"b", "i", "em", "strong", "u", "s", "sub", "sup", "span", "a", "font", "small", "code", "mark",
	} {
		isInline[name] = true
	}
	return isInline
}()

// mostTag bounds the length of a tag.
const mostTag = 400

// tagAt returns the size of the HTML tag that text begins with, or 0.
func tagAt(text []byte) (size int, isInline bool) {
	end := bytes.IndexByte(text[:min(len(text), mostTag)], '>')
	if end < 0 {
		return 0, false
	}
	inside := bytes.TrimSuffix(bytes.TrimPrefix(text[1:end], []byte("/")), []byte("/"))
	name, attributes, _ := bytes.Cut(inside, []byte(" "))
	if len(name) > len("blockquote") {
		return 0, false
	}
	isInline, known := elements[string(bytes.ToLower(name))]
	if attributes = bytes.TrimSpace(attributes); !known || len(attributes) > 0 && !bytes.ContainsRune(attributes, '=') {
		return 0, false
	}
	return end + 1, isInline
}

// mostName bounds the name of a member.
const mostName = 40

// memberAt returns the size of the name of a member of a JSON object, or of a Python dictionary,
// with its colon, at text[i:], or 0. Quotes may be escaped.
func (p *placed) memberAt(i int) (size int) {
	if len(p.raw) > 0 || p.last != '{' && p.last != ',' {
		return 0
	}
	text, quote := p.text, p.text[i]
	at := i + 1
	isOfName := func(c byte) bool { return c == '_' || c < utf8.RuneSelf && asciiClass[c] == belongs }
	for at < len(text) && at-i <= mostName && isOfName(text[at]) {
		at++
	}
	if at == i+1 {
		return 0
	}
	for at < len(text) && text[at] == '\\' {
		at++
	}
	if at == len(text) || text[at] != quote {
		return 0
	}
	for at++; at < len(text) && isSpace[text[at]]; at++ {
	}
	if at == len(text) || text[at] != ':' {
		return 0
	}
	return at + 1 - i
}
