package sketch

import (
	"bytes"
	"unicode"
)

// lines makes each line a token, without surrounding white space; blank lines are dropped.
type lines struct{}

func (lines) Append(dst *Tokens, text []byte) {
	for line := range bytes.Lines(text) {
		if line = trimmed(line); len(line) > 0 {
			dst.Add(line)
		}
	}
}

// AppendSome leaves the last line if it has no end yet.
func (l lines) AppendSome(dst *Tokens, text []byte) int {
	n := bytes.LastIndexByte(text, '\n') + 1
	l.Append(dst, text[:n])
	return n
}

// paragraphs makes each run of non-blank lines a token: the trimmed lines joined by one space, so
// that wrapping text at another width changes nothing.
type paragraphs struct{}

func (paragraphs) Append(dst *Tokens, text []byte) {
	open := false
	for line := range bytes.Lines(text) {
		line = trimmed(line)
		switch {
		case len(line) == 0:
			open = false
		case open:
			dst.extend(line)
		default:
			dst.Add(line)
			open = true
		}
	}
}

// AppendSome leaves what follows the last blank line.
func (p paragraphs) AppendSome(dst *Tokens, text []byte) int {
	at, end := 0, 0
	for line := range bytes.Lines(text) {
		at += len(line)
		if line[len(line)-1] == '\n' && len(trimmed(line)) == 0 {
			end = at
		}
	}
	p.Append(dst, text[:end])
	return end
}

func trimmed(line []byte) []byte { return bytes.TrimFunc(line, unicode.IsSpace) }
