package stream

import "strings"

// delimiters are those that a header may show in place of commas.
const delimiters = ";\t|"

// guessDelimiter finds the delimiter in the header that buf begins with: the only one in it, or a
// comma where there is any doubt. ok is false if the header has not ended in buf, unless that is
// all.
func guessDelimiter(buf []byte, all bool) (delimiter byte, ok bool) {
	buf = buf[:min(len(buf), headSize)]
	seen, ended := delimitersIn(withoutMark(buf))
	if !ended && !all && len(buf) < headSize {
		return 0, false
	}
	if len(seen) == 1 {
		return seen[0], true
	}
	return ',', true
}

// delimitersIn returns which delimiters, commas among them, stand outside of quotes in the first
// row; ended is false if that has not ended.
func delimitersIn(buf []byte) (seen []byte, ended bool) {
	quoted, atStart := false, true // of a field
	for _, c := range buf {
		switch {
		case c == '"' && (quoted || atStart):
			quoted = !quoted
			atStart = !quoted // a quote that is written twice goes on
		case quoted:
		case c == '\n':
			return seen, true
		case c == ',' || strings.IndexByte(delimiters, c) >= 0:
			atStart = true
			if strings.IndexByte(string(seen), c) < 0 {
				seen = append(seen, c)
			}
		default:
			atStart = false
		}
	}
	return seen, false
}
