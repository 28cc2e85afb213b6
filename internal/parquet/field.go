package parquet

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A field locates a value in a row: a column, and the positions in the lists around it.
type field struct {
	column  *column
	at      []uint32 // a position for each repetition level
	several bool     // some positions are everyPlace
	json    *jsonWriter
}

const everyPlace = math.MaxUint32

// checks return an error for columns that cannot be used in a given way.
var checks = map[columnar.Use]func(*column) error{
	columnar.AsText: (*column).checkText, columnar.AsKey: (*column).checkKey, columnar.AsName: (*column).checkName,
}

// field returns the column of a path. A number in the path is a position in a list.
func (s *Schema) field(path record.Field, use columnar.Use) (field, error) {
	f := fieldFinder{steps: path.Steps(), check: checks[use]}
	column, err := f.find(s.root, false)
	switch {
	case errors.Is(err, errNoColumn):
		return field{}, &columnar.NoColumnError{Path: path.String(), Columns: s.names()}
	case err != nil:
		return field{}, fmt.Errorf("field %q: %w", path, err)
	}
	found := field{column, f.at, slices.Contains(f.at, everyPlace), &jsonWriter{}}
	if found.json.hasText(column); use == columnar.AsName && found.several {
		return found, fmt.Errorf("field %q has several values: name one of them, by its number", path)
	}
	return found, nil
}

var errNoColumn = errors.New("no such column")

type fieldFinder struct {
	steps []string
	at    []uint32
	done  []string // the steps taken so far
	check func(*column) error
}

// find takes the remaining steps below n. isElement says that n, although its node repeats, is an
// element of a list already entered.
func (f *fieldFinder) find(n *node, isElement bool) (*column, error) {
	switch {
	case n.repetition == repeated && !isElement:
		return f.findElement(n)
	case n.leaf != nil && len(f.steps) > 0 && n.leaf.annotation.isJSON():
		return nil, fmt.Errorf("%s is JSON, in which no column can be named", f.path())
	case n.leaf != nil && len(f.steps) > 0:
		return nil, errNoColumn
	case n.leaf != nil:
		return n.leaf, f.check(n.leaf)
	case n.meaning() == list:
		return f.findElement(n.element())
	case n.meaning() == mapping:
		return nil, fmt.Errorf("%s is a map, in which no text can be named", f.path())
	case len(n.children) == 0:
		return nil, errNoColumn
	case len(f.steps) == 0:
		return nil, fmt.Errorf("it has columns below it: name one, such as %s.%s", f.path(), n.children[0].name)
	}
	child := n.child(f.steps[0])
	if child == nil {
		return nil, errNoColumn
	}
	f.take()
	return f.find(child, false)
}

func (f *fieldFinder) take() {
	f.done, f.steps = append(f.done, f.steps[0]), f.steps[1:]
}

func (f *fieldFinder) path() string { return strings.Join(f.done, ".") }

func (f *fieldFinder) findElement(n *node) (*column, error) {
	var place uint64
	err := errors.New("no step is left")
	switch {
	case len(f.steps) > 0 && f.steps[0] == "*":
		place, err = everyPlace, nil
	case len(f.steps) > 0:
		place, err = strconv.ParseUint(f.steps[0], 10, 31)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is a list: name an element of it, such as %[1]s.0, or all, as %[1]s[]", f.path())
	}
	f.take()
	f.at = append(f.at, uint32(place))
	return f.find(n, true)
}

// checkText returns an error for columns without text.
func (c *column) checkText() error {
	if c.physical == byteArray && slices.Contains([]meaning{text, plain}, c.annotation.meaning) {
		return nil
	}
	return fmt.Errorf("it is not text, but %s", c.describe())
}

// checkKey accepts all columns: any value can be written down.
func (c *column) checkKey() error { return nil }

// checkName returns an error for columns whose values are neither strings, numbers nor booleans in
// JSON.
func (c *column) checkName() error {
	if c.annotation.meaning == interval {
		return fmt.Errorf("it is not a string, number or boolean, but %s", c.describe())
	}
	return nil
}

// meaning returns the meaning of a group if it has the required shape.
func (n *node) meaning() meaning {
	m := n.annotation.meaning
	if m == list || m == mapping || n.annotation.converted == 2 && n.repetition != repeated {
		if len(n.children) != 1 || n.children[0].repetition != repeated || m != list && n.children[0].leaf != nil {
			return plain
		}
		if m != list {
			return mapping
		}
	}
	return m
}

// element returns the node of a list's elements: below the repeated node, or that node itself where
// old writers omitted the level (LogicalTypes.md, backward-compatibility rules).
func (n *node) element() *node {
	middle := n.children[0]
	if middle.leaf != nil || len(middle.children) != 1 || middle.name == "array" || middle.name == n.name+"_tuple" {
		return middle
	}
	return middle.children[0]
}

// values iterates over the values of the field in row i.
func (f field) values(rows *Rows, i int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		c, v := f.column, &rows.columns[f.column.index]
		from, to := v.start(i), v.rows[i]
		counts := make([]uint32, len(f.at)) // position of the current element in each list
		values := from.values
		for l := from.levels; l < to.levels; l++ {
			if l > from.levels { // it repeats
				rep := v.reps[l]
				counts[rep-1]++
				clear(counts[rep:])
			}
			if c.maxDef > 0 && int(v.defs[l]) < c.maxDef { // null
				continue
			}
			if f.isAt(counts) && (!yield(v.value(c, values)) || !f.several) {
				return
			}
			values++
		}
	}
}

// AppendText implements columnar.Field.
func (f field) AppendText(dst []byte, rows *Rows, i, limit int) (text []byte, isThere bool) {
	isText, most := f.column.checkText() == nil, len(dst)+limit
	for value := range f.values(rows, i) {
		if isThere {
			dst = append(dst, '\n')
		}
		if isThere = true; isText {
			dst = append(dst, value...)
		} else {
			dst = f.appendLiteral(dst, value)
		}
		if len(dst) > most {
			break
		}
	}
	return dst, isThere
}

// InLists implements columnar.Field.
func (f field) InLists() bool { return len(f.at) > 0 }

// AppendValue implements columnar.Field.
func (f field) AppendValue(dst []byte, rows *Rows, i, limit int) []byte {
	for value := range f.values(rows, i) {
		if len(value) <= limit {
			dst = f.json.appendValue(dst, f.column, value)
		}
	}
	return dst
}

// appendLiteral appends a value of a column without text as JSON, without quotes.
func (f field) appendLiteral(dst, value []byte) []byte {
	start := len(dst)
	dst = (&jsonWriter{}).appendValue(dst, f.column, value)
	if dst[start] == '"' { // a date, a UUID or base64: nothing is escaped
		dst = append(dst[:start], dst[start+1:len(dst)-1]...)
	}
	return dst
}

func (f field) isAt(counts []uint32) bool {
	for i, place := range f.at {
		if place != counts[i] && place != everyPlace {
			return false
		}
	}
	return true
}
