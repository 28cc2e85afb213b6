// Package columnar is what formats have in common whose records are rows of columns with types: the
// inputs of a run are read as one table, and rows leave with the columns that they came with.
package columnar

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Schema is what an input says about its columns.
type Schema[S any] interface {
	comparable
	Difference(S) string // names one; empty if rows of both can stand in one table
	Columns() []string   // their names, those at the top
}

// Wanted is what a run wants of rows.
type Wanted struct {
	Fields     []stream.Field // that have the texts
	MaxRecord  int            // bytes of a text; a longer one is a record that cannot be read
	AsJSON     bool           // rows are handed over as JSON; or else they are to be written by a Sink
	FieldsOnly bool           // neither: nothing of rows is wanted but what stands in fields
	Vectors    bool           // fields are lists of numbers, and have what stands in JSON for these
	// Replaced is told how many bytes of a row, as JSON, are in no character and become U+FFFD. If
	// it is nil such a row has a problem.
	Replaced func(n int)
	Exact    bool // texts are compared exactly, as stream.Exact says
}

// A Table is what the inputs of a run have in common: they are read as one, and have the schema of
// the first. Its methods may be called from several goroutines.
type Table[S Schema[S]] struct {
	Wanted

	mu    sync.Mutex
	first S // that was opened, with all fields
	name  string
}

// join makes sure that the rows of an input can stand in one table with the rows of the first.
func (t *Table[S]) join(name string, s S) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		t.first, t.name = s, name
		return nil
	}
	if d := t.first.Difference(s); d != "" && !t.AsJSON {
		return fmt.Errorf("its schema is not that of %s: %s; read it in a run of its own, or use --to jsonl", t.name, d)
	}
	return nil
}

// First is the schema of the table: of the first input that was opened, with all fields.
func (t *Table[S]) First() (S, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		return none, errNoSchema
	}
	return t.first, nil
}

// Columns are the names of the columns of the table, those at the top; none if no input could be
// opened.
func (t *Table[S]) Columns() []string {
	first, err := t.First()
	if err != nil {
		return nil
	}
	return first.Columns()
}

// errNoSchema is a table of which no input could be opened.
var errNoSchema = errors.New("no input could be opened, so that there is no schema for an output")

// A ColumnType is what the values of a column are that is made anew.
type ColumnType uint8

// The types of such columns.
const (
	BoolColumn ColumnType = iota
	Int64Column
	DoubleColumn
	StringColumn // UTF-8
	JSONColumn   // UTF-8 that is JSON
)

// A Column is one of a table that is made anew. Any of its values may be null.
type Column struct {
	Name string
	Type ColumnType
}

// A Builder writes a table of flat columns. Rows are given value by value, in the order of the
// columns. It serves one goroutine.
type Builder interface {
	Null()
	Bool(bool)
	Int64(int64)
	Double(float64)
	Bytes([]byte)
	EndRow() error
	Close() error // writes what is left, and the end
}
