package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/bundle"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/textfield"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Source says where the records of a run come from, and in which form they are written. The zero
// Source has no records.
type Source struct {
	layout.Settings // including what names and contents of files say

	Dialect string           // the name of the format, and what else distinguishes its records
	Found   textfield.Choice // the fields that --field auto has found, if it was given
	Dims    int              // of the records' vectors; 0 if they are not compared
	Reading
	OutputForm
	First *files.Stdin // standard input if its beginning was read; otherwise nil
	ahead *files.ReadAhead

	request  Request
	std      files.Streams
	archives *archives // the inputs as archives; otherwise nil
	rows     RowTable  // the inputs as rows; otherwise nil
}

// Reading is how a stream reads the records.
type Reading struct {
	Format record.Format
	Union  *record.RowUnion // of their columns; nil if all inputs have the same
	Inputs []stream.Input
}

// OutputForm is the form in which records are written.
type OutputForm struct {
	Convert bool             // as JSON objects
	Array   bool             // in a single array
	Check   record.CharCheck // for what the outputs cannot represent
}

// Choose decides in which formats records are read and written: those that the user names, or else
// by file names and contents. It refuses a file name that contradicts its contents, and options
// that do not apply to the format. Errors that the user can avoid are usage errors.
func Choose(ctx context.Context, w Request, std files.Streams) (Source, error) {
	s, err := choose(ctx, w, std)
	for i, in := range s.Inputs {
		if in.Open != nil {
			s.Inputs[i].Open = files.Whole(in.Open)
		}
	}
	return s, err
}

// choose is Choose without the check for files that are truncated while they are read.
func choose(ctx context.Context, w Request, std files.Streams) (s Source, err error) {
	if w.Settings, err = decide(w, std); err != nil {
		return s, usage.Error(err)
	}
	field, err := findField(ctx, w, std)
	if err != nil {
		return s, err
	}
	w.Fields = field.fields
	if w.Vector && w.Dims == 0 {
		if w.Dims, field.first, err = findDims(ctx, w, std); err != nil {
			return s, err
		}
	}
	s = Source{
		Settings: w.Settings, Dialect: w.Dialect(), Found: field.found, First: field.first, Dims: w.Dims, request: w,
		std: std,
	}
	if s.First != nil {
		s.std.First = s.First
	}
	if s.Format, err = FormatOf(w); err != nil {
		return s, usage.Error(err)
	}
	s.Check = w.check(std)
	s.Convert, s.Array = w.To != "" && !layout.IsColumnar(w.Name), of(w.To).Has(layout.Array)
	err = of(w.Name).read(&s)
	switch {
	case err != nil:
		return s, usage.Error(err)
	case s.rows == nil:
		return s, s.uniteHeaders(ctx)
	}
	return s, w.expectAll(s.rows, s.std)
}

// check returns which bytes cannot be represented in the format that records are converted to.
func (w Request) check(std files.Streams) (c record.CharCheck) {
	from, to := of(w.Name), of(w.To)
	if w.To == "" || from.rows != nil || from.Has(layout.Archive) {
		return c // rows are checked when they become JSON, and documents of archives are decoded
	}
	isObjects, becomesObjects := from.Has(layout.Objects), to.Has(layout.Objects)
	c.UTF8, c.Escapes = !isObjects || !becomesObjects, isObjects && !becomesObjects
	if std.Text.Replaces() {
		c.Replaced = std.Text.Add
	}
	return c
}

// HasFields reports whether texts are fields of records.
func (s *Source) HasFields() bool { return of(s.Name).Compares == "" }

// HasColumn reports whether the rows of the inputs are known to have a column.
func (s *Source) HasColumn(name string) bool {
	return s.rows != nil && slices.Contains(s.rows.Columns(), name)
}

// IsEditable reports whether the texts of a format can be edited in place.
func IsEditable(name string) bool {
	f := of(name)
	return f.rows == nil && !f.Has(layout.Archive)
}

// Literals returns what finds the texts in records, in the form in which they are written.
func (s *Source) Literals() (*record.Literals, error) {
	f := s.Format
	if s.Convert || layout.IsColumnar(s.Name) && !s.StaysRows() {
		fields, err := layout.ParseFields(s.TextFields())
		if err != nil {
			return nil, err
		}
		f = record.JSONLines(fields)
	}
	if found := record.NewLiterals(f); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("texts cannot be edited where they stand in records of %s: have these as JSON Lines, which "+
		"mithril-stream --to jsonl makes while it removes duplicates", s.Name)
}

// Close closes files that were opened before their turn.
func (s *Source) Close() error { return s.ahead.Close() }

// readBytes makes the inputs of a run from files that are streams of bytes, which must be records.
func readBytes(s *Source) error {
	readAny(s)
	isJudged := s.request.Unreadable > 0 && len(s.Inputs) > 1
	for i, in := range s.Inputs {
		s.Inputs[i].Open = func() (io.ReadCloser, error) {
			r, err := onlyRecords(in.Open())
			if err != nil || !isJudged {
				return r, err
			}
			return s.admit(r, i == 0)
		}
	}
	return nil
}

// readAny makes the inputs of a run from files that are streams of any bytes.
func readAny(s *Source) {
	s.Inputs = files.Inputs(s.request.Paths, s.std)
	s.ahead = files.OpenAhead(s.request.Paths, s.Inputs, s.std)
}

// readWhole makes the inputs of a run from files that are a single record each.
func readWhole(s *Source) error {
	readAny(s)
	for i, in := range s.Inputs {
		in.Open = files.Whole(in.Open)
		s.Inputs[i] = stream.FileRecord(in, s.Separator, s.request.MaxRecord, s.Convert)
	}
	return nil
}

// onlyRecords ends an input with an error if its records turn out to need another way of reading:
// as rows of columns, or as files in an archive.
func onlyRecords(r io.ReadCloser, err error) (io.ReadCloser, error) {
	file, isFile := r.(*os.File)
	if err != nil || !isFile || !files.IsSeekable(file) {
		return &surprise{ReadCloser: r}, err
	}
	head, err := files.Ahead(file, bundle.HeadBytes)
	if err == nil {
		err = refuseToRead(head)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// A surprise passes on a stream as long as it begins like records. It checks what has been read
// without waiting for more.
type surprise struct {
	io.ReadCloser
	head []byte
}

func (s *surprise) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if len(s.head) < bundle.HeadBytes && n > 0 {
		s.head = append(s.head, p[:min(n, bundle.HeadBytes-len(s.head))]...)
		if refused := refuseToRead(s.head); refused != nil {
			return 0, refused
		}
	}
	return n, err
}

// refuseToRead refuses bytes that are not records of the formats that readBytes is for.
func refuseToRead(head []byte) error {
	if _, name := layout.Detect(head); layout.IsColumnar(name) {
		return errors.New("it is " + of(name).AFile() + ": add --format " + name)
	}
	if what := bundle.Describe(head); what != "" {
		return fmt.Errorf("it is %s: %s", what, bundle.Advice(head))
	}
	return nil
}
