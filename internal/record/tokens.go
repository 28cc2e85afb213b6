package record

import "bytes"

// TokenIDs is a format whose records have tokens in place of a text, in its one field: a list
// of integers in JSON, or a text that is such a list. Sketchers are given the integers as words
// with a space between two of them.
func TokenIDs(f Format) Format { return ofLists(f, KindNotTokens, appendTokens) }

// appendTokens appends the integers of a list, as words.
func appendTokens(words, list []byte) ([]byte, Problem) {
	list = bytes.TrimSpace(list)
	if len(list) == 0 {
		return words, Problem{kind: KindEmptyText}
	}
	for number := range bytes.SplitSeq(list, []byte(",")) {
		number = bytes.TrimSpace(number)
		if !isInteger(number) {
			return words, Problem{kind: KindNotTokens}
		}
		if len(words) > 0 {
			words = append(words, ' ')
		}
		words = append(words, number...)
	}
	return words, Problem{}
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
