package markup

import "bytes"

// Bounds of a document that is parsed as Markdown. The parser's time grows with the product of
// depth and lines; with the square of the marks of links and emphasis that stand in one block; and
// a table has as many cells as its columns times its rows, even where the rows are empty.
const (
	maxDocument = 1 << 20 // bytes
	maxMarkers  = 50      // of quotes and lists at the beginning of a line
	maxCells    = 1 << 18 // most bars of a line × lines
	maxPairs    = 1 << 26 // sum of the squares of the marks between two blank lines: 8,192 at once, or 2,600 ten times
)

// tame tells that a document is within bounds.
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

// markers counts the marks of quotes and lists that a line begins with.
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
