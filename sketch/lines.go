package sketch

import (
	"bytes"
	"unicode"
)

// lines takes each line as a token, without the white space around it; blank lines are none.
type lines struct{}

func (lines) Append(dst *Tokens, text []byte) {
	for line := range bytes.Lines(text) {
		if line = trimmed(line); len(line) > 0 {
			dst.Add(line)
		}
	}
}

// paragraphs takes each run of lines that are not blank as a token: the lines without the white
// space around them, joined by one space, so that wrapping text at another width changes nothing.
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

func trimmed(line []byte) []byte { return bytes.TrimFunc(line, unicode.IsSpace) }
