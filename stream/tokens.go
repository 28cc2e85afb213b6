package stream

import "bytes"

// TokenIDs is a format whose records have tokens in the place of a text, in its one field: a list
// of integers in JSON, or a text that is such a list. Sketchers are given the integers as words
// with a space between two of them.
func TokenIDs(f Format) Format { return tokenFormat{ofLists(f)} }

type tokenFormat struct{ Format }

func (f tokenFormat) newParser() parser { return &tokenParser{parser: f.Format.newParser()} }

// A tokenParser takes the tokens out of records.
type tokenParser struct {
	parser
	words []byte
}

// text returns the tokens of a record's body, as words.
func (t *tokenParser) text(body []byte) ([]byte, Problem) {
	list, p := t.parser.text(body)
	if p.kind == notVector { // nor is it a list
		p = Problem{kind: notTokens}
	}
	if p.kind == readable {
		p = t.read(list)
	}
	if p.kind != readable {
		return nil, p
	}
	return t.words, p
}

// read reads a list of integers.
func (t *tokenParser) read(list []byte) Problem {
	t.words = t.words[:0]
	list = bytes.TrimSpace(list)
	if len(list) < 2 || list[0] != '[' || list[len(list)-1] != ']' {
		return Problem{kind: notTokens}
	}
	list = bytes.TrimSpace(list[1 : len(list)-1])
	if len(list) == 0 {
		return Problem{kind: emptyText}
	}
	for number := range bytes.SplitSeq(list, []byte(",")) {
		number = bytes.TrimSpace(number)
		if !isInteger(number) {
			return Problem{kind: notTokens}
		}
		if len(t.words) > 0 {
			t.words = append(t.words, ' ')
		}
		t.words = append(t.words, number...)
	}
	return Problem{}
}

// isInteger reports whether text is an integer as JSON has it (RFC 8259 §6), of at most as many
// digits as 64 bits have.
func isInteger(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > 20 || digits[0] == '0' && len(text) > 1 {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func (t *tokenParser) release() {
	t.parser.release()
	t.words = keep(t.words)
}
