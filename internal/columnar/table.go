// Package columnar holds what formats with typed columns have in common: the inputs of a run are
// read as one table, and rows are written with the columns they had.
package columnar

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A Schema describes the columns of an input.
type Schema[S any] interface {
	comparable
	Difference(S) string // describes one; empty if rows of both fit into one table
	// Union returns a schema for the rows of both, with the columns of either; the same schema if
	// the other adds nothing. An error says what keeps them apart.
	Union(S) (S, error)
	Columns() []string // names of the top-level columns
	CheckJSON() error  // says which column has no form in JSON; nil if all have one
	Features() string  // the metadata called FeaturesKey; empty if it has none
	// Units returns the units of columns of numbers that do not say them in JSON, by their paths.
	Units() map[string]string
}

// RowNeeds says what a run needs of rows.
type RowNeeds struct {
	Fields     []record.Field // with the texts
	MaxRecord  int            // bytes of a text; a longer one makes the record unreadable
	AsJSON     bool           // rows are converted to JSON; otherwise a Sink writes them
	FieldsOnly bool           // neither: only the values of fields are needed
	Unwritten  bool           // rows are not written, so schemas may differ
	PerInput   bool           // each input has an output of its own
	Strict     bool           // all inputs must have the schema of the first
	Vectors    bool           // fields are lists of numbers, converted to JSON
	// Replaced is called with the number of bytes of a row, as JSON, that are not valid UTF-8 and
	// were replaced by U+FFFD. If it is nil such a row has a problem.
	Replaced func(n int)
	Exact    bool // texts are compared exactly, as record.Exact defines
	Key      bool // and are keys, as record.Key defines
}

// A Table holds what the inputs of a run share: they are read as one. Its rows have the union of
// the schemas of all inputs or, if each input has its own output, the schema of their input. It is
// safe for concurrent use.
type Table[S Schema[S]] struct {
	RowNeeds

	mu     sync.Mutex
	first  S // the first input opened, with all fields
	union  S // of all inputs known; fixed once rows are written
	name   string
	fixed  bool
	byName map[string]S // of each input, if each has an output

	// of rows that become JSON: what the inputs so far say of their columns
	features string
	units    map[string]unitIn
}

// Expect adds the schema of an input to the union before anything is read from it. If the schema
// cannot be reconciled it returns an error, before anything is written.
func (t *Table[S]) Expect(name string, s S) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.AsJSON {
		return t.checkMeanings(name, s)
	}
	return t.unite(name, s)
}

// join makes sure that the rows of an input fit into the table.
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

// instead is the advice for schemas that cannot be reconciled.
const instead = "; give each an output of its own, with --output-dir, or use --to jsonl"

// unite adds a schema to the union.
func (t *Table[S]) unite(name string, s S) error {
	var none S
	switch {
	case t.AsJSON && (!t.Unwritten || t.PerInput):
		return errors.Join(checkMembers(s.Columns()), s.CheckJSON(), t.checkMeanings(name, s))
	case t.AsJSON || t.Unwritten:
		return nil
	case t.union == none:
		t.union, t.name = s, name
		return nil
	}
	if d := t.union.Difference(s); t.Strict && d != "" {
		return fmt.Errorf("its schema differs from that of %s: %s, and --union strict requires the "+
			"same%s", t.name, d, instead)
	}
	union, err := t.union.Union(s)
	switch {
	case errors.As(err, new(classesError)) || errors.As(err, new(UnitError)):
		return fmt.Errorf("its schema does not go with that of %s: %w", t.name, err)
	case err != nil:
		return fmt.Errorf("its schema does not go with that of %s: %w%s", t.name, err, instead)
	case union != t.union && t.fixed:
		return fmt.Errorf("its schema is not that of %s, and rows were written before it could be read: give it as a "+
			"file%s", t.name, instead)
	}
	t.union = union
	return nil
}

// checkMeanings refuses an input whose numbers mean something else than those of an input that
// shares its output.
func (t *Table[S]) checkMeanings(name string, s S) error {
	if t.PerInput || t.Unwritten {
		return nil
	}
	return errors.Join(t.checkClasses(name, s), t.checkUnits(name, s))
}

// checkClasses refuses an input whose classes have other names than those of an input that shares
// its output: in JSON their numbers say nothing else.
func (t *Table[S]) checkClasses(name string, s S) error {
	if s.Features() == "" {
		return nil
	}
	if t.features == "" {
		t.features, t.name = s.Features(), name
	}
	features, err := UniteFeatures(t.features, s.Features())
	if err != nil {
		return fmt.Errorf("it does not go with %s: %w", t.name, err)
	}
	t.features = features
	return nil
}

// checkMembers refuses columns that would become members with the same name in a JSON object,
// since readers see only one of them.
func checkMembers(names []string) error {
	known := map[string]bool{}
	for _, name := range names {
		if known[name] {
			return fmt.Errorf("it has two columns %q, which would be one member of a JSON object: rename one of "+
				"them, or leave the format as it is", name)
		}
		known[name] = true
	}
	return nil
}

// Like returns the schema of an output: the union or, if each input has its own output, that of the
// named input. An input that could not be opened has that of the first.
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

// First returns the schema of the first input opened, with all fields.
func (t *Table[S]) First() (S, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none S
	if t.first == none {
		return none, errNoSchema
	}
	return t.first, nil
}

// Columns returns the names of the top-level columns known so far.
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

// errNoSchema is returned if no input could be opened.
var errNoSchema = errors.New("no input could be opened, so that there is no schema for an output")

// A Builder writes a table of flat columns. Pass the values of a row in the order of the columns.
// Only one goroutine may use it.
type Builder interface {
	Null()
	Bool(bool)
	Int64(int64)
	Double(float64)
	Bytes([]byte)
	EndRow() error
	Close() error // writes the remaining rows and the end of the output
}
