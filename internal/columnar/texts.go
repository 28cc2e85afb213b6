package columnar

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Use says what a field is named for.
type Use uint8

// The uses of fields.
const (
	AsText Use = iota // it has a text
	AsKey             // or what can be written as one
	AsName            // it has one string or number in a row
)

// A Field is where in a row something stands. R is rows that were read together.
type Field[R any] interface {
	// AppendText appends the text in row i, several texts with a newline between two of them; false
	// if nothing is there. It may stop soon after it has appended more than limit bytes: such a
	// text is too long.
	AppendText(dst []byte, rows R, i, limit int) (text []byte, isThere bool)
	// AppendValue appends the value in row i as JSON, or nothing where there is none of at most
	// limit bytes.
	AppendValue(dst []byte, rows R, i, limit int) []byte
	// InLists reports whether it goes through lists, where there may be no such element.
	InLists() bool
}

// An Input is rows of which something is taken out.
type Input[R any] interface {
	// Find finds the column of a path, if it is of use. The error is a NoColumnError if there is
	// none.
	Find(path stream.Field, use Use) (Field[R], error)
	// FindWhole finds the column at the top that a path begins with, with all that is below it.
	FindWhole(path stream.Field) (Field[R], error)
	// AppendJSON appends row i as a JSON object on a line of its own.
	AppendJSON(dst []byte, rows R, i int) []byte
}

// A NoColumnError says that an input has no such column.
type NoColumnError struct {
	Path    string
	Columns string // that it has
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("it has no column %q; its columns are %s", e.Path, e.Columns)
}

// Texts takes out of the rows of one input what a run wants of them.
type Texts[R any] struct {
	wanted  Wanted
	of      Input[R]
	fields  []Field[R]
	whole   *wholeColumns[R] // in the place of fields; nil if each of these is one column
	named   []Field[R]
	isFirst bool // of the table
	lists   bool // fields are elements of lists
}

// Join adds an input to a table, after the fields of the table are found in it.
func Join[S Schema[S], R any](t *Table[S], name string, s S, of Input[R]) (Texts[R], error) {
	_, err := t.First()
	texts := Texts[R]{wanted: t.Wanted, of: of, isFirst: err != nil}
	if err := texts.find(); err != nil {
		return texts, texts.refuse(err)
	}
	return texts, t.join(name, s)
}

// find finds the columns of all fields. That of a vector is a list of numbers, or else a text that
// is one. Where a field is not one column of texts, or texts are compared exactly, rows are read
// as JSON objects are.
func (t *Texts[R]) find() error {
	needsWhole := false
	for _, path := range t.wanted.Fields {
		f, err := t.of.Find(path, AsText)
		if err != nil && t.wanted.Vectors {
			t.lists = true
			f, err = t.of.Find(path.Elements(), AsKey)
		}
		switch missing := (*NoColumnError)(nil); {
		case errors.As(err, &missing) && !path.IsOptional():
			return err
		case err != nil && t.wanted.Vectors:
			return err
		case err != nil || !path.IsPlain() || t.wanted.Exact:
			needsWhole = true
		default:
			t.fields = append(t.fields, f)
		}
	}
	if !needsWhole {
		return nil
	}
	t.fields, t.whole = nil, newWholeColumns[R](t.wanted)
	for _, path := range t.wanted.Fields {
		if err := t.whole.add(t.of, path); err != nil {
			return err
		}
	}
	return nil
}

// refuse is about a field that an input does not have. If that is the first one the field is wrong,
// and the run ends.
func (t *Texts[R]) refuse(err error) error {
	if t.isFirst {
		return stream.Fatal(err)
	}
	return err
}

// Name has the values of some fields handed over, as stream.Namer says.
func (t *Texts[R]) Name(fields []stream.Field) error {
	for _, path := range fields {
		f, err := t.of.Find(path, AsName)
		if err != nil {
			return t.refuse(err)
		}
		t.named = append(t.named, f)
	}
	return nil
}

// AsJSON reports whether rows are handed over as JSON. If not, a Sink writes them.
func (t *Texts[R]) AsJSON() bool { return t.wanted.AsJSON }

// Append appends row i: as JSON if that is wanted, its text, and the values of the named fields.
func (t *Texts[R]) Append(to *stream.Records, rows R, i int) {
	rec := t.record(to, rows, i)
	for _, field := range t.named {
		span := stream.Span{Start: len(to.Buf)}
		to.Buf = field.AppendValue(to.Buf, rows, i, t.wanted.MaxRecord)
		span.End = len(to.Buf)
		to.Named = append(to.Named, span)
	}
	to.List = append(to.List, rec)
}

func (t *Texts[R]) record(to *stream.Records, rows R, i int) (rec stream.Record) {
	if t.wanted.AsJSON {
		rec.Raw.Start = len(to.Buf)
		to.Buf = t.of.AppendJSON(to.Buf, rows, i)
		if !utf8.Valid(to.Buf[rec.Raw.Start:]) {
			rec.Problem = t.repair(to, rec.Raw.Start)
		}
		rec.Raw.End = len(to.Buf)
		if rec.Problem.IsNotUTF8() {
			rec.Text = stream.Span{Start: len(to.Buf), End: len(to.Buf)}
			return rec
		}
	}
	rec.Text.Start = len(to.Buf)
	if t.whole != nil {
		t.whole.read(to, &rec, rows, i)
	} else {
		t.read(to, &rec, rows, i)
	}
	if t.lists && rec.Problem == (stream.Problem{}) {
		to.Buf = asList(to.Buf, rec.Text.Start)
	}
	rec.Text.End = len(to.Buf)
	return rec
}

// repair replaces what is not UTF-8 in a row that stands in the buffer from start on, or says that
// this is not wanted.
func (t *Texts[R]) repair(to *stream.Records, start int) stream.Problem {
	if t.wanted.Replaced == nil {
		return stream.NotUTF8(-1)
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
	t.wanted.Replaced(count)
	return stream.Problem{}
}

// read appends the text of a row whose fields are columns of texts. One that is null adds nothing,
// unless all are.
func (t *Texts[R]) read(to *stream.Records, rec *stream.Record, rows R, i int) {
	found := false
	for f, field := range t.fields {
		start := len(to.Buf)
		if found {
			to.Buf = append(to.Buf, '\n')
		}
		text, isThere := field.AppendText(to.Buf, rows, i, t.wanted.MaxRecord)
		if to.Buf = text; !isThere {
			to.Buf = to.Buf[:start]
			rec.Omitted.Null(f)
			continue
		}
		if found = true; len(to.Buf)-rec.Text.Start > t.wanted.MaxRecord {
			to.Buf = to.Buf[:rec.Text.Start]
			rec.Problem = stream.TooLong
			return
		}
	}
	switch {
	case found || len(t.fields) == 0:
		return
	case t.fields[0].InLists():
		rec.Problem = stream.FieldMissing(0)
	default:
		rec.Problem = stream.FieldNull(0)
	}
	rec.Omitted = stream.Omissions{}
}

// asList makes a list of JSON of the lines from start on, which are numbers.
func asList(buf []byte, start int) []byte {
	buf = append(slices.Insert(buf, start, '['), ']')
	for i, c := range buf[start:] {
		if c == '\n' {
			buf[start+i] = ','
		}
	}
	return buf
}
