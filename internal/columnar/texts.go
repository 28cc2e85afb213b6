package columnar

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Use says what a field is read for.
type Use uint8

// The uses of fields.
const (
	AsText Use = iota // its text
	AsKey             // a value that can be converted to text
	AsName            // one string, number or boolean for each row
)

// A Field locates a value in rows of type R, which are read together.
type Field[R any] interface {
	// AppendText appends the text in row i, joining several with newlines; false if the row has no
	// text. It may stop soon after appending more than limit bytes, which makes the text too long.
	AppendText(dst []byte, rows R, i, limit int) (text []byte, isThere bool)
	// AppendValue appends the value in row i as JSON, or nothing if it is missing or exceeds limit
	// bytes.
	AppendValue(dst []byte, rows R, i, limit int) []byte
	// InLists reports whether the field is in a list, which may not have such an element.
	InLists() bool
}

// An Input provides rows to read values from.
type Input[R any] interface {
	// Find finds the column of a path for a use. The error is a NoColumnError if the input lacks
	// it.
	Find(path record.Field, use Use) (Field[R], error)
	// FindWhole finds the top-level column that a path begins with, with everything below it.
	FindWhole(path record.Field) (Field[R], error)
	// AppendJSON appends row i as a JSON object on a line of its own.
	AppendJSON(dst []byte, rows R, i int) []byte
}

// A NoColumnError is returned if an input has no such column.
type NoColumnError struct {
	Path    string
	Columns string // the columns that it has
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("it has no column %q; its columns are %s", e.Path, e.Columns)
}

// Texts reads from the rows of one input what a run needs.
type Texts[R any] struct {
	needs   RowNeeds
	of      Input[R]
	fields  []Field[R]
	whole   *wholeColumns[R] // replaces fields; nil if each field is one column
	named   []Field[R]
	isFirst bool // the first input of the table
	lists   bool // fields are elements of lists
}

// Join adds an input to a table, after finding the table's fields in it.
func Join[S Schema[S], R any](t *Table[S], name string, s S, of Input[R]) (Texts[R], error) {
	_, err := t.First()
	texts := Texts[R]{needs: t.RowNeeds, of: of, isFirst: err != nil}
	if err := texts.find(s.Columns()); err != nil {
		return texts, texts.refuse(err)
	}
	return texts, t.join(name, s)
}

// find finds the columns of all fields. A vector is a list of numbers, or a text that holds one. If
// a field is not one column of texts, or texts are compared exactly, rows are read like JSON
// objects. columns are the names of the columns that the input has.
func (t *Texts[R]) find(columns []string) error {
	needsWhole := false
	for _, path := range t.needs.Fields {
		switch {
		case path.HasAlternatives() && t.needs.Vectors:
			return fmt.Errorf("field %q has alternatives, and vectors are in one column: name it", path)
		case path.IsWhole() || path.HasAlternatives():
			needsWhole = true
			continue
		}
		f, err := t.of.Find(path, AsText)
		if err != nil && t.needs.Vectors {
			t.lists = true
			f, err = t.of.Find(path.Elements(), AsKey)
		}
		switch missing := (*NoColumnError)(nil); {
		case errors.As(err, &missing) && !path.IsOptional():
			return err
		case err != nil && t.needs.Vectors:
			return err
		case err != nil || !path.IsPlain() || t.needs.Exact:
			needsWhole = true
		default:
			t.fields = append(t.fields, f)
		}
	}
	if !needsWhole {
		return nil
	}
	t.fields, t.whole = nil, newWholeColumns[R](t.needs)
	for _, path := range t.needs.Fields {
		if err := t.whole.addAll(t.of, path, columns); err != nil {
			return err
		}
	}
	return nil
}

// refuse handles a field that an input lacks. If it is missing in the first input the name is
// wrong, and the run ends.
func (t *Texts[R]) refuse(err error) error {
	switch {
	case t.isFirst && errors.As(err, new(*NoColumnError)):
		return record.Fatal(fmt.Errorf("%w: give --field; --field auto looks for the text", err))
	case t.isFirst:
		return record.Fatal(err)
	}
	return err
}

// Name sets the fields whose values are returned, as stream.Namer defines.
func (t *Texts[R]) Name(fields []record.Field) error {
	for _, path := range fields {
		f, err := findFirst(t.of, path)
		switch {
		case err != nil && t.isFirst:
			return record.Fatal(err)
		case err != nil:
			return err
		}
		t.named = append(t.named, f)
	}
	return nil
}

// AsJSON reports whether rows are converted to JSON. If not, a Sink writes them.
func (t *Texts[R]) AsJSON() bool { return t.needs.AsJSON }

// Append appends row i: as JSON if wanted, its text, and the values of the named fields.
func (t *Texts[R]) Append(to *stream.Records, rows R, i int) {
	rec := t.record(to, rows, i)
	for _, field := range t.named {
		span := record.Span{Start: len(to.Buf)}
		to.Buf = field.AppendValue(to.Buf, rows, i, t.needs.MaxRecord)
		span.End = len(to.Buf)
		to.Named = append(to.Named, span)
	}
	to.List = append(to.List, rec)
}

func (t *Texts[R]) record(to *stream.Records, rows R, i int) (rec stream.Record) {
	if t.needs.AsJSON {
		rec.Raw.Start = len(to.Buf)
		to.Buf = t.of.AppendJSON(to.Buf, rows, i)
		if !utf8.Valid(to.Buf[rec.Raw.Start:]) {
			rec.Problem = t.repair(to, rec.Raw.Start)
		}
		rec.Raw.End = len(to.Buf)
		if rec.Problem.IsNotUTF8() {
			rec.Text = record.Span{Start: len(to.Buf), End: len(to.Buf)}
			return rec
		}
	}
	rec.Text.Start = len(to.Buf)
	if t.whole != nil {
		t.whole.read(to, &rec, rows, i)
	} else {
		t.read(to, &rec, rows, i)
	}
	if t.lists && rec.Problem == (record.Problem{}) {
		to.Buf = asList(to.Buf, rec.Text.Start)
	}
	rec.Text.End = len(to.Buf)
	return rec
}

// repair replaces invalid UTF-8 in a row in the buffer from start on, or returns the problem if
// that is not wanted.
func (t *Texts[R]) repair(to *stream.Records, start int) record.Problem {
	if t.needs.Replaced == nil {
		return record.NotUTF8(-1)
	}
	row, count := string(to.Buf[start:]), 0
	to.Buf = to.Buf[:start]
	for len(row) > 0 {
		r, size := utf8.DecodeRuneInString(row)
		if r == utf8.RuneError && size == 1 {
			count++
		}
		to.Buf, row = utf8.AppendRune(to.Buf, r), row[size:]
	}
	t.needs.Replaced(count)
	return record.Problem{}
}

// read appends the text of a row whose fields are columns of texts. A null field adds nothing,
// unless all are null.
func (t *Texts[R]) read(to *stream.Records, rec *stream.Record, rows R, i int) {
	found := false
	for f, field := range t.fields {
		start := len(to.Buf)
		if found {
			to.Buf = append(to.Buf, '\n')
		}
		text, isThere := field.AppendText(to.Buf, rows, i, t.needs.MaxRecord)
		if to.Buf = text; !isThere {
			to.Buf = to.Buf[:start]
			rec.Omitted.Null(f)
			continue
		}
		if found = true; len(to.Buf)-rec.Text.Start > t.needs.MaxRecord {
			to.Buf = to.Buf[:rec.Text.Start]
			rec.Problem = record.TooLong
			return
		}
	}
	switch {
	case found || len(t.fields) == 0:
		return
	case t.fields[0].InLists():
		rec.Problem = record.FieldMissing(0)
	default:
		rec.Problem = record.FieldNull(0)
	}
	rec.Omitted = record.Omissions{}
}

// asList turns the lines from start on, which are numbers, into a JSON list.
func asList(buf []byte, start int) []byte {
	buf = append(slices.Insert(buf, start, '['), ']')
	for i, c := range buf[start:] {
		if c == '\n' {
			buf[start+i] = ','
		}
	}
	return buf
}
