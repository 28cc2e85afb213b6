package substr

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Unquote appends the text of a JSON string literal, with its quotes, to dst. Offsets in that text
// are what EditLiteral takes.
//
// An escaped surrogate without its partner becomes U+FFFD, as in encoding/json. Bytes that are no
// UTF-8 stay as they are.
func Unquote(dst, literal []byte) ([]byte, error) {
	body, err := body(literal)
	if err != nil {
		return dst, err
	}
	for p := 0; p < len(body); {
		e, err := elementAt(body, p, len(body))
		if err != nil {
			return dst, err
		}
		dst = e.appendText(dst)
		p += len(e.raw)
	}
	return dst, nil
}

// EditLiteral appends literal, a JSON string literal, to dst with each span of its text replaced by
// mask; an empty mask cuts. All other bytes of the literal, escapes among them, stay as they are.
// Spans are in bytes of the unescaped text, in order, without overlap, and fall between characters,
// as the spans of Finder and Corpus do.
func EditLiteral(dst, literal []byte, spans []Span, mask []byte) ([]byte, error) {
	body, err := body(literal)
	if err != nil {
		return dst, err
	}
	quoted := appendEscaped(nil, mask)
	begin := len(dst) + 1
	dst = append(dst, '"')
	at := 0 // the offset in the unescaped text
	for p := 0; p < len(body); {
		for len(spans) > 0 && spans[0].End <= at {
			spans = spans[1:]
		}
		inside := len(spans) > 0 && spans[0].Start <= at
		edge := math.MaxInt // where the next span begins or this one ends
		if inside {
			edge = spans[0].End
		} else if len(spans) > 0 {
			edge = spans[0].Start
		}
		e, err := elementAt(body, p, edge-at)
		if err != nil {
			return dst, err
		}
		if at+e.size() > edge {
			return dst, fmt.Errorf("span %d to %d divides the character at %d", spans[0].Start, spans[0].End, at)
		}
		if !inside {
			dst = appendKept(dst, begin, e)
		} else if at == spans[0].Start {
			dst = append(dst, quoted...)
		}
		p += len(e.raw)
		at += e.size()
	}
	if len(spans) > 0 && spans[len(spans)-1].End > at {
		return dst, fmt.Errorf("span %d to %d ends after the end of the text of %d bytes", spans[len(spans)-1].Start,
			spans[len(spans)-1].End, at)
	}
	return append(dst, '"'), nil
}

// appendKept appends an element as it is. Where a cut brings two halves of a surrogate pair
// together that were no pair before, the first is written as what it stood for, U+FFFD.
func appendKept(dst []byte, begin int, e element) []byte {
	if e.half == low && endsWithHigh(dst[begin:]) {
		dst = append(dst[:len(dst)-6], `\ufffd`...)
	}
	return append(dst, e.raw...)
}

// endsWithHigh tells if the last element of a literal's body is the escape of a high surrogate.
func endsWithHigh(body []byte) bool {
	p := len(body) - 6
	if p < 0 || body[p] != '\\' || body[p+1] != 'u' {
		return false
	}
	if r, ok := hex4(body[p+2:]); !ok || halfOf(r) != high {
		return false
	}
	backslashes := 0 // an odd number of them before it makes its own one an ordinary character
	for p > 0 && body[p-1] == '\\' {
		backslashes++
		p--
	}
	return backslashes%2 == 0
}

// element is a part of a literal: an escape, or a run of text without one.
type element struct {
	raw  []byte
	char rune // the escaped character; −1 if raw is text
	half half
}

// half says whether a character is a surrogate without its partner.
type half uint8

const (
	whole half = iota
	high
	low
)

func halfOf(r rune) half {
	switch {
	case 0xd800 <= r && r < 0xdc00:
		return high
	case 0xdc00 <= r && r < 0xe000:
		return low
	}
	return whole
}

func (e element) size() int {
	if e.char < 0 {
		return len(e.raw)
	}
	return utf8.RuneLen(e.char)
}

func (e element) appendText(dst []byte) []byte {
	if e.char < 0 {
		return append(dst, e.raw...)
	}
	return utf8.AppendRune(dst, e.char)
}

func body(literal []byte) ([]byte, error) {
	if len(literal) < 2 || literal[0] != '"' || literal[len(literal)-1] != '"' {
		return nil, errors.New("json string has no quotes")
	}
	return literal[1 : len(literal)-1], nil
}

// elementAt reads the element at p of a literal's body; a run of text ends after limit bytes.
func elementAt(body []byte, p, limit int) (element, error) {
	run := jsontext.PlainEnd(body[:min(len(body)-p, limit)+p], p)
	switch c := body[p]; {
	case run > p:
		return element{raw: body[p:run], char: -1}, nil
	case c == '"':
		return element{}, fmt.Errorf("json string: quote inside, at byte %d", p+1)
	case c < ' ':
		return element{}, fmt.Errorf("json string: control character inside, at byte %d", p+1)
	case p+1 == len(body):
		return element{}, errors.New("json string ends with a backslash")
	}
	if body[p+1] != 'u' {
		r := escapes[body[p+1]]
		if r == 0 {
			return element{}, fmt.Errorf("json string: unknown escape at byte %d", p+1)
		}
		return element{raw: body[p : p+2], char: r}, nil
	}
	r, ok := hex4(body[p+2:])
	if !ok {
		return element{}, fmt.Errorf("json string: bad \\u escape at byte %d", p+1)
	}
	if halfOf(r) == whole {
		return element{raw: body[p : p+6], char: r}, nil
	}
	if halfOf(r) == high && p+8 <= len(body) && body[p+6] == '\\' && body[p+7] == 'u' {
		if second, ok := hex4(body[p+8:]); ok && halfOf(second) == low {
			return element{raw: body[p : p+12], char: utf16.DecodeRune(r, second)}, nil
		}
	}
	return element{raw: body[p : p+6], char: utf8.RuneError, half: halfOf(r)}, nil
}

var escapes = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hex4 reads the four hexadecimal digits that b begins with.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	return rune(n), err == nil
}

// appendEscaped appends text with what JSON does not allow in a literal escaped.
func appendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
