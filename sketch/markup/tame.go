package markup

import "bytes"

// Limits of a document that is parsed as Markdown. The parser's time grows with the product of
// depth and lines; with the square of the number of link and emphasis marks in a block; and a table
// has as many cells as its columns times its rows, even if rows are empty.
const (
	maxDocument = 1 << 20 // bytes
	maxMarkers  = 50      // quote and list markers at the beginning of a line
	maxCells    = 1 << 18 // maximum bars in a line × lines
	// sum of the squares of the marks between two blank lines: 8,192 at once, or 2,600 ten times
	maxPairs = 1 << 26
)

// tame reports whether a document is within the limits.
func tame(document []byte) bool {
	if len(document) > maxDocument {
		return false
	}
	lines, columns := 0, 0
	marks, pairs := 0, 0
	for line := range bytes.Lines(document) {
		lines++
		columns = max(columns, bytes.Count(line, []byte("|")))
		if blank(line) {
			marks = 0
		}
		before := marks
		marks += countMarks(line)
		pairs += marks*marks - before*before
		if pairs > maxPairs || markers(line) > maxMarkers {
			return false
		}
	}
	return columns < 3 || columns*lines <= maxCells
}

// countMarks counts what may begin or end a link, emphasis, code or a tag.
func countMarks(line []byte) (n int) {
	for _, c := range line {
		switch c {
		case '[', ']', '*', '_', '~', '`', '<':
			n++
		}
	}
	return n
}

// markers counts the quote and list markers that a line begins with.
func markers(line []byte) (n int) {
	for i, c := range line {
		switch {
		case c == '>':
			n++
		case c == '-' || c == '+' || c == '*':
			if i+1 < len(line) && !space(line[i+1]) {
				return n
			}
			n++
		case c == '.' || c == ')':
			n++
		case !space(c) && (c < '0' || c > '9'):
			return n
		}
	}
	return n
}
