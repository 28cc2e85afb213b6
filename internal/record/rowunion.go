package record

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
	own    *Table // of rows as they are written
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
const RowHead = HeadSize + 1

// Add adds the columns of an input, which begins with head. An input without rows has none.
func (u *RowUnion) Add(input string, head []byte) error {
	if len(TrimBOM(head)) == 0 {
		return nil
	}
	cut := u.format.NewSplitter().(*rowSplitter)
	if !bytes.ContainsAny(head, "\r\n") {
		head = append(bytes.Clone(head), '\n') // a header is all there is
	}
	end, t, err := cut.Head(head)
	if err != nil {
		return err
	}
	if u.names == nil {
		u.first, u.names, u.own = input, slices.Clone(t.Names), t
		u.lead = bytes.Clone(TrimBOM(head[:end]))
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
func (u *RowUnion) fits(t *Table) bool {
	return slices.Equal(t.Names, u.names) && t.dialect.comma == u.own.dialect.comma &&
		t.dialect.newline == u.own.dialect.newline
}

// unite adds the columns that only t has.
func (u *RowUnion) unite(t *Table) error {
	if u.strict {
		return fmt.Errorf("its header differs from that of %s, and --union strict requires the same", u.first)
	}
	if err := errors.Join(checkNames(t.Names, "it"), checkNames(u.names, u.first)); err != nil {
		return err
	}
	for _, name := range t.Names {
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
	if added := u.names[len(u.own.Names):]; len(added) > 0 {
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

// Map notes in a table where it has the columns of the union, for rewriting its rows.
func (u *RowUnion) Map(t *Table) (err error) {
	t.to, err = u.mapping(t)
	return err
}

// Header returns what stands before the rows in the output.
func (u *RowUnion) Header() []byte { return u.lead }

// Table is the table of the rows of the output.
func (u *RowUnion) Table() *Table { return u.own }

// IsMapped reports whether rows of the table have other columns than the union, after Map.
func (t *Table) IsMapped() bool { return t.to != nil }

// mapping is where the columns of the union are in a table, or noColumn; nil if rows stay as they
// are.
func (u *RowUnion) mapping(t *Table) ([]int, error) {
	if u.fits(t) {
		return nil, nil
	}
	if u.strict {
		return nil, fmt.Errorf("its header differs from that of %s, and --union strict requires the same", u.first)
	}
	if err := checkNames(t.Names, "it"); err != nil {
		return nil, err
	}
	for _, name := range t.Names {
		if !slices.Contains(u.names, name) {
			return nil, fmt.Errorf("its header has a column %q that no input before the run was known to have: read "+
				"it in a run of its own, or from a file", name)
		}
	}
	to := make([]int, len(u.names))
	for i, name := range u.names {
		to[i] = slices.Index(t.Names, name)
	}
	return to, nil
}

// A RowRewriter writes rows with the columns of a union. It owns scratch memory.
type RowRewriter struct {
	union *RowUnion
	spans []span
	cell  []byte
}

// NewRowRewriter returns what writes rows with the columns of a union.
func NewRowRewriter(u *RowUnion) *RowRewriter { return &RowRewriter{union: u} }

// Terminator is what ends a row of a table.
func (w *RowRewriter) Terminator(end []byte, t *Table) []byte {
	if newline := w.union.own.dialect.newline; newline != t.dialect.newline {
		return []byte{newline}
	}
	return end
}

// Append appends a row of a table whose columns differ, without what ends it. One that cannot be
// read stays as it is.
func (w *RowRewriter) Append(dst, row []byte, t *Table) []byte {
	var ok bool
	if w.spans, ok = fieldSpans(w.spans[:0], row, t.dialect); !ok || len(w.spans) != len(t.Names) {
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
	w.cell = KeepScratch(w.cell)
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
