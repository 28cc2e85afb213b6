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
	// Union is what rows of both can stand in, with the columns that either has; the same schema if
	// the other one adds nothing. An error says what keeps them apart.
	Union(S) (S, error)
	Columns() []string // their names, those at the top
}

// Wanted is what a run wants of rows.
type Wanted struct {
	Fields     []stream.Field // that have the texts
	MaxRecord  int            // bytes of a text; a longer one is a record that cannot be read
	AsJSON     bool           // rows are handed over as JSON; or else they are to be written by a Sink
	FieldsOnly bool           // neither: nothing of rows is wanted but what stands in fields
	Unwritten  bool           // rows are not written, so that schemas may differ
	PerInput   bool           // each input has an output of its own
	Strict     bool           // all inputs must have the schema of the first
	Vectors    bool           // fields are lists of numbers, and have what stands in JSON for these
	// Replaced is told how many bytes of a row, as JSON, are in no character and become U+FFFD. If
	// it is nil such a row has a problem.
	Replaced func(n int)
	Exact    bool // texts are compared exactly, as stream.Exact says
}

// A Table is what the inputs of a run have in common: they are read as one. Its rows have the union
// of the schemas of all inputs, or where each input has an output of its own, that of their input.
// Its methods may be called from several goroutines.
type Table[S Schema[S]] struct {
	Wanted

	mu     sync.Mutex
	first  S // that was opened, with all fields
	union  S // of all that are known; it does not grow once rows are written
	name   string
	fixed  bool
	byName map[string]S // of the inputs, where each has an output
}

// Expect takes the schema of an input into the union before anything is read of it. What cannot be
// reconciled is an error, and then nothing is written.
func (t *Table[S]) Expect(name string, s S) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.unite(name, s)
}

// join makes sure that the rows of an input can stand in the table.
func (t *Table[S]) join(name string, s S) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		t.first = s
	}
	if t.PerInput {
		if t.byName == nil {
			t.byName = map[string]S{}
		}
		t.byName[name] = s
	}
	return t.unite(name, s)
}

// instead is what to do with schemas that cannot be reconciled.
const instead = "; give each an output of its own, with --output-dir, or use --to jsonl"

// unite takes a schema into the union.
func (t *Table[S]) unite(name string, s S) error {
	var none S
	switch {
	case t.AsJSON || t.Unwritten:
		return nil
	case t.union == none:
		t.union, t.name = s, name
		return nil
	}
	if d := t.union.Difference(s); t.Strict && d != "" {
		return fmt.Errorf("its schema is not that of %s: %s, and --union strict asks for that%s", t.name, d, instead)
	}
	union, err := t.union.Union(s)
	switch {
	case err != nil:
		return fmt.Errorf("its schema does not go with that of %s: %w%s", t.name, err, instead)
	case union != t.union && t.fixed:
		return fmt.Errorf("its schema is not that of %s, and rows were written before it could be read: give it as a "+
			"file%s", t.name, instead)
	}
	t.union = union
	return nil
}

// Like is the schema of an output: that of all inputs, or where each has its own, of the named one.
// An input that could not be opened has that of the first.
func (t *Table[S]) Like(input string) (S, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if s, isThere := t.byName[input]; isThere && input != "" {
		return s, nil
	}
	t.fixed = true
	switch {
	case t.first == none:
		return none, errNoSchema
	case t.union == none || input != "":
		return t.first, nil
	}
	return t.union, nil
}

// First is the schema of the first input that was opened, with all fields.
func (t *Table[S]) First() (S, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		return none, errNoSchema
	}
	return t.first, nil
}

// Columns are the names of the columns of the table, those at the top, as far as they are known.
func (t *Table[S]) Columns() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	switch {
	case t.union != none:
		return t.union.Columns()
	case t.first != none:
		return t.first.Columns()
	}
	return nil
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
