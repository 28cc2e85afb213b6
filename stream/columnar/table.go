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
}

// A Table is what the inputs of a run have in common: they are read as one, and have the schema of
// the first. Its methods may be called from several goroutines, but for Keyed.
type Table[S Schema[S]] struct {
	fields    []stream.Field
	maxRecord int
	asJSON    bool
	keyed     bool

	mu    sync.Mutex
	first S // that was opened, with all fields
	name  string
}

// NewTable is for inputs that have texts in the given fields. asJSON says that records are handed
// over as lines of JSON too; otherwise they are to be written by a Sink. A text of more than
// maxRecord bytes is a record that cannot be read.
func NewTable[S Schema[S]](fields []stream.Field, maxRecord int, asJSON bool) *Table[S] {
	return &Table[S]{fields: fields, maxRecord: maxRecord, asJSON: asJSON}
}

// Keyed has the fields hold numbers, booleans, times and bytes too: their texts are what stands in
// JSON for them.
func (t *Table[S]) Keyed() { t.keyed = true }

// MaxRecord is how many bytes a text has at most.
func (t *Table[S]) MaxRecord() int { return t.maxRecord }

// join makes sure that the rows of an input can stand in one table with those of the first.
func (t *Table[S]) join(name string, s S) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		t.first, t.name = s, name
		return nil
	}
	if d := t.first.Difference(s); d != "" && !t.asJSON {
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

// errNoSchema is a table of which no input could be opened.
var errNoSchema = errors.New("no input could be opened, so that there is no schema for an output")
