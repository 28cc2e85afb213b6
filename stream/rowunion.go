package stream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// A RowUnion is the union of the columns of all CSV or TSV inputs, for an output that holds rows of
// several: the columns of the first input, followed by further columns of the others. Columns with
// the same name are one. Rows of an input with other columns, another order or other delimiters are
// rewritten; a field is empty if the input lacks the column.
type RowUnion struct {
	format *csvRows
	first  string // the input whose header comes first
	names  []string
	lead   []byte // what stands before the rows, as the first input has it
	own    *table // of rows as they are written
	differ bool   // some input has another header
	strict bool   // which is an error
}

// NewRowUnion returns the union of no input; strict refuses what differs from the first. It is nil
// for formats that have no header.
func NewRowUnion(f Format, strict bool) *RowUnion {
	if rows, ok := f.(*csvRows); ok && rows.header {
		return &RowUnion{format: rows, strict: strict}
	}
	return nil
}

// RowHead is how much of the beginning of an input is enough for Add.
const RowHead = headSize + 1

// Add adds the columns of an input, which begins with head. An input without rows has none.
func (u *RowUnion) Add(input string, head []byte) error {
	if len(withoutMark(head)) == 0 {
		return nil
	}
	cut := u.format.newCutter().(*rowCutter)
	if !bytes.ContainsAny(head, "\r\n") {
		head = append(bytes.Clone(head), '\n') // a header is all there is
	}
	end, t, err := cut.lead(head)
	if err != nil {
		return err
	}
	if u.names == nil {
		u.first, u.names, u.own = input, slices.Clone(t.names), t
		u.lead = bytes.Clone(withoutMark(head[:end]))
		return nil
	}
	if !u.fits(t) {
		u.differ = true
		if err := u.unite(t); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether rows of a table can be written unchanged.
func (u *RowUnion) fits(t *table) bool {
	return slices.Equal(t.names, u.names) && t.dialect.comma == u.own.dialect.comma &&
		t.dialect.newline == u.own.dialect.newline
}

// unite adds the columns that only t has.
func (u *RowUnion) unite(t *table) error {
	if u.strict {
		return fmt.Errorf("its header is not that of %s, and --union strict asks for that", u.first)
	}
	if err := errors.Join(checkNames(t.names, "it"), checkNames(u.names, u.first)); err != nil {
		return err
	}
	for _, name := range t.names {
		if !slices.Contains(u.names, name) {
			u.names = append(u.names, name)
		}
	}
	return nil
}

// checkNames refuses a header that has a name twice, so that columns cannot be matched by it.
func checkNames(names []string, whose string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s has two columns %q, so that columns cannot be matched by their names", whose, name)
		}
	}
	return nil
}

// Differs reports whether inputs have different columns, so that rows are rewritten.
func (u *RowUnion) Differs() bool { return u.differ }

// IsKnown reports whether any input had a header.
func (u *RowUnion) IsKnown() bool { return u.own != nil }

// Complete makes the header of the output, after the last Add. There must have been a header.
func (u *RowUnion) Complete() error {
	d := u.own.dialect
	if added := u.names[len(u.own.names):]; len(added) > 0 {
		header := bytes.TrimRight(u.lead, "\r\n")
		end := u.lead[len(header):]
		header = bytes.Clone(header)
		for _, name := range added {
			header = appendCell(append(header, d.comma), []byte(name), false, d)
		}
		u.lead = append(header, end...)
	}
	own, err := u.format.table(d, u.names)
	u.own = own
	return err
}

// mapping is where the columns of the union are in a table, or noColumn; nil if rows stay as they
// are.
func (u *RowUnion) mapping(t *table) ([]int, error) {
	if u.fits(t) {
		return nil, nil
	}
	if u.strict {
		return nil, fmt.Errorf("its header is not that of %s, and --union strict asks for that", u.first)
	}
	if err := checkNames(t.names, "it"); err != nil {
		return nil, err
	}
	for _, name := range t.names {
		if !slices.Contains(u.names, name) {
			return nil, fmt.Errorf("its header has a column %q that no input before the run was known to have: read "+
				"it in a run of its own, or from a file", name)
		}
	}
	to := make([]int, len(u.names))
	for i, name := range u.names {
		to[i] = slices.Index(t.names, name)
	}
	return to, nil
}

// A rowRewriter writes rows with the columns of a union. It owns scratch memory.
type rowRewriter struct {
	union *RowUnion
	spans []span
	cell  []byte
}

// end is what ends a row of a table.
func (w *rowRewriter) end(end []byte, t *table) []byte {
	if newline := w.union.own.dialect.newline; newline != t.dialect.newline {
		return []byte{newline}
	}
	return end
}

// append appends a row of a table whose columns differ, without what ends it. One that cannot be
// read stays as it is.
func (w *rowRewriter) append(dst, row []byte, t *table) []byte {
	var ok bool
	if w.spans, ok = fieldSpans(w.spans[:0], row, t.dialect); !ok || len(w.spans) != len(t.names) {
		return append(dst, row...)
	}
	d := w.union.own.dialect
	for i, column := range t.to {
		if i > 0 {
			dst = append(dst, d.comma)
		}
		if column == noColumn {
			continue
		}
		s := w.spans[column]
		w.cell = s.appendTo(w.cell[:0], row)
		dst = appendCell(dst, w.cell, !t.dialect.raw && s.start > 0 && row[s.start-1] == '"', d)
	}
	if bytes.HasSuffix(row, []byte{'\r'}) {
		dst = append(dst, '\r')
	}
	w.cell = keep(w.cell)
	return dst
}

// appendCell appends a field, in quotes if it had some or needs them.
func appendCell(dst, cell []byte, quoted bool, d dialect) []byte {
	if d.raw || !quoted && !bytes.ContainsAny(cell, "\"\r\n"+string(d.comma)) {
		return append(dst, cell...)
	}
	dst = append(dst, '"')
	for _, c := range cell {
		if c == '"' || d.escape != 0 && c == d.escape {
			dst = append(dst, escapeOf(c, d))
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// escapeOf is what stands before a quote, or before the escape itself, within quotes.
func escapeOf(c byte, d dialect) byte {
	if c == '"' && d.escape == 0 {
		return '"'
	}
	return d.escape
}
