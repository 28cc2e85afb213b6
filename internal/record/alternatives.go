package record

import "strings"

// Alternatives divides a path, as the user wrote it, at the bars between alternatives: not at those
// in brackets and braces, or after a backslash. A JSON Pointer that comes first is all there is.
func Alternatives(path string) (paths []string) {
	if strings.HasPrefix(path, "/") {
		return []string{path}
	}
	start := 0
	for i := 0; i < len(path); i++ {
		switch rest := path[i:]; path[i] {
		case '\\':
			i++
		case '[':
			if _, ok, after := cutSelector(rest); ok {
				i += len(rest) - len(after) - 1
			}
		case '{':
			if end := strings.IndexByte(rest, '}'); end > 0 && (rest[1] == '-' || rest[1] == '+') {
				i += end
			}
		case '|':
			paths = append(paths, path[start:i])
			start = i + 1
		}
	}
	return append(paths, path[start:])
}

// choose makes the want of each field that of its first alternative that has a value: one that is
// not null. Where none has, it is one that is null, or the first.
func (s *jsonScanner) choose() {
	for _, c := range s.choices {
		chosen := c.from
		for i := c.from; i < c.to; i++ {
			w := &s.paths[i]
			if w.hasValue(s.src) {
				chosen = i
				break
			}
			if w.start >= 0 && s.paths[chosen].start < 0 {
				chosen = i
			}
		}
		s.wants[c.field] = &s.paths[chosen]
	}
}

// A choice is a field whose paths are s.paths[from:to].
type choice struct{ field, from, to int }

// hasValue reports whether a value was found that is not null.
func (w *want) hasValue(src []byte) bool {
	for place := range w.found {
		if src[place] != 'n' {
			return true
		}
	}
	return false
}

// alternatives returns the columns that a table has of the alternatives in a field: the first, or a
// negative number if it has none, and the others.
func (f *csvRows) alternatives(field string, names []string) (first int, others []int) {
	first = noColumn
	written := Alternatives(field)
	if len(written) == 1 {
		return first, nil
	}
	for _, name := range written {
		switch column := f.column(name, names); {
		case column < 0:
		case first < 0:
			first = column
		default:
			others = append(others, column)
		}
	}
	return first, others
}

// add adds the column of a field, and those that are read where it is empty.
func (t *Table) add(column int, others []int) {
	if len(others) > 0 && t.others == nil {
		t.others = make([][]int, len(t.columns))
	}
	t.columns = append(t.columns, column)
	if t.others != nil {
		t.others = append(t.others, others)
	}
}

// firstFilled returns the first of several columns in which a row has anything; first if it has
// nothing in all of them.
func firstFilled(first int, others []int, row []span) int {
	isFilled := func(column int) bool { return column < len(row) && row[column].start < row[column].end }
	if len(others) == 0 || isFilled(first) {
		return first
	}
	for _, column := range others {
		if isFilled(column) {
			return column
		}
	}
	return first
}
