package formats

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A RowTable reads the inputs of a run that have rows of columns as one table.
type RowTable interface {
	// Open opens an input. Closing the reader releases everything that reading takes, such as a
	// copy on disk.
	Open(name, path string, std files.Streams) (stream.RecordReader, error)
	// Expect reads the columns of an input that is opened later, so that the columns of all inputs
	// are known before rows are written.
	Expect(name, path string, std files.Streams) error
	// Sink returns a sink that writes rows in the format named to, which keeps their types.
	Sink(to string, form Form, o columnar.Outputs) RowSink
	// Columns returns the names of the columns, once an input has been opened.
	Columns() []string
}

// A RowSink writes rows to the outputs that they belong to.
type RowSink interface {
	stream.Sink
	Next(out io.Writer, path string) error // a NextOutput
	Close() error                          // completes the outputs of a complete run
}

// A NextOutput ends an output and begins the next one, with that path.
type NextOutput = func(out io.Writer, path string) error

// columns returns what the run needs of rows.
func (w Request) columns(std files.Streams) (columnar.RowNeeds, error) {
	of := columnar.RowNeeds{
		MaxRecord: w.MaxRecord, AsJSON: !w.StaysRows(), FieldsOnly: w.Unwritten && w.StaysRows(),
		Exact: w.Exact, Key: w.Key, Vectors: w.Vector || w.Tokens,
	}
	of.Unwritten, of.PerInput, of.Strict = w.Unwritten || !w.isOne(), w.PerInput, w.Strict
	if std.Text.Replaces() {
		of.Replaced = std.Text.Add
	}
	names := w.TextFields()
	if w.Textless {
		names = nil
	}
	var err error
	of.Fields, err = layout.ParseFields(names)
	return of, err
}

// readColumns makes the inputs of a run from files of rows.
func readColumns(s *Source) error {
	w := s.request
	columns, err := w.columns(s.std)
	if err != nil {
		return err
	}
	if w.StaysRows() {
		if err := w.refuseTerminal(s.std); err != nil {
			return err
		}
	}
	rows, std := of(w.Name).rows(columns), s.std
	s.rows = rows
	for _, path := range w.Paths {
		name := files.Inputs([]string{path}, std)[0].Name
		s.Inputs = append(s.Inputs, stream.Input{Name: name, OpenRecords: func() (stream.RecordReader, error) {
			return rows.Open(name, path, std)
		}})
	}
	return nil
}

// expectAll reads the columns of all inputs if their rows go to one output, as rows or converted.
func (w Request) expectAll(rows RowTable, std files.Streams) error {
	if !w.StaysRows() && w.To == "" || !w.isOne() || len(w.Paths) < 2 {
		return nil
	}
	for _, path := range w.Paths {
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
			continue // it can be read only once
		}
		if err := rows.Expect(std.InputName(path), path, std); err != nil {
			return fmt.Errorf("%s: %w (nothing was written)", std.InputName(path), err)
		}
	}
	return nil
}

// isOne reports whether the rows of all inputs go to one output.
func (w Request) isOne() bool {
	return !w.Unwritten && !w.PerInput || w.Duplicates != "" || w.Rejects != ""
}

// inputs returns the names of the inputs, if each has an output of its own.
func (w Request) inputs(std files.Streams) (names []string) {
	if !w.PerInput {
		return nil
	}
	for _, path := range w.Paths {
		names = append(names, std.InputName(path))
	}
	return names
}

// openAt opens a file that is read at any offset. It closes the file if that fails.
func openAt(file *os.File, open func(size int64) (stream.RecordReader, error)) (r stream.RecordReader, err error) {
	info, err := file.Stat()
	if err == nil {
		r, err = open(info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}
