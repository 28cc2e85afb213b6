package arrow

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A field locates a value in a row: a column, and a path below it.
type field struct {
	column int
	steps  []fieldStep
	lists  bool // the path goes through lists, where an element may be missing
}

// A fieldStep goes from a value to a child of a struct, or to an element of a list.
type fieldStep struct {
	child int
	place int // index of an element; everyPlace for all
	list  bool
}

const everyPlace = -1

var errNoColumn = errors.New("no such column")

// checks return an error for types that cannot be used in a given way.
var checks = map[columnar.Use]func(arrow.DataType) error{
	columnar.AsText: checkText, columnar.AsKey: checkName, columnar.AsName: checkName,
}

// fieldOf returns the column of a path. A number in the path is an index into a list.
func fieldOf(s *arrow.Schema, path record.Field, use columnar.Use) (field, error) {
	f := fieldFinder{steps: path.Steps(), check: checks[use]}
	i := indexOf(s.Fields(), f.steps[0])
	err := errNoColumn
	if i >= 0 {
		f.take()
		err = f.findIn(s.Field(i))
	}
	switch {
	case errors.Is(err, errNoColumn):
		return field{}, &columnar.NoColumnError{Path: path.String(), Columns: namesOf(s)}
	case err != nil:
		return field{}, fmt.Errorf("field %q: %w", path, err)
	}
	f.found.column = i
	if use == columnar.AsName && slices.Contains(f.found.steps, fieldStep{list: true, place: everyPlace}) {
		return f.found, fmt.Errorf("field %q has several values: name one of them, by its number", path)
	}
	return f.found, nil
}

// checkText returns an error for types that are not text.
func checkText(t arrow.DataType) error {
	if l := layoutOf(t); l.kind != binaries && l.kind != views {
		return fmt.Errorf("it is not text, but %s", t)
	}
	return nil
}

// checkName returns an error for types whose values are neither strings, numbers nor booleans in
// JSON.
func checkName(t arrow.DataType) error {
	switch t.(type) {
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
	default:
		if l := layoutOf(t); l.kind == bits || l.kind == fixed || l.kind == binaries || l.kind == views {
			return nil
		}
	}
	return fmt.Errorf("it is not a string, number or boolean, but %s", t)
}

func indexOf(fields []arrow.Field, name string) int {
	return slices.IndexFunc(fields, func(f arrow.Field) bool { return f.Name == name })
}

func namesOf(s *arrow.Schema) string {
	var names []string
	for _, f := range s.Fields() {
		if len(names) == 20 {
			names = append(names, "…")
			break
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

type fieldFinder struct {
	steps []string
	done  []string // the steps taken so far
	found field
	check func(arrow.DataType) error
}

func (f *fieldFinder) take() { f.done, f.steps = append(f.done, f.steps[0]), f.steps[1:] }

func (f *fieldFinder) path() string { return strings.Join(f.done, ".") }

// findIn takes the remaining steps below a field. It does not look into JSON columns, whose
// contents differ from row to row.
func (f *fieldFinder) findIn(in arrow.Field) error {
	if len(f.steps) > 0 && isJSON(in) {
		return fmt.Errorf("%s is JSON, in which no column can be named", f.path())
	}
	return f.find(in.Type)
}

// isJSON reports whether the values of a field are JSON.
func isJSON(f arrow.Field) bool {
	l := layoutOf(storage(f.Type))
	return extensionIn(f) == jsonExtension && (l.kind == binaries || l.kind == views)
}

// find takes the remaining steps below a type.
func (f *fieldFinder) find(t arrow.DataType) error {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return f.find(t.ValueType)
	case *arrow.RunEndEncodedType:
		return f.find(t.Encoded())
	case *arrow.MapType:
		return fmt.Errorf("%s is a map, in which no text can be named", f.path())
	case arrow.ListLikeType:
		return f.findElement(t.ElemField())
	case *arrow.StructType:
		if len(f.steps) == 0 && t.NumFields() > 0 {
			return fmt.Errorf("it has columns below it: name one, such as %s.%s", f.path(), t.Field(0).Name)
		}
		i := -1
		if len(f.steps) > 0 {
			i = indexOf(t.Fields(), f.steps[0])
		}
		if i < 0 {
			return errNoColumn
		}
		f.take()
		f.found.steps = append(f.found.steps, fieldStep{child: i})
		return f.findIn(t.Field(i))
	default:
		if len(f.steps) > 0 {
			return errNoColumn
		}
		return f.check(t)
	}
}

func (f *fieldFinder) findElement(of arrow.Field) error {
	place, err := everyPlace, errors.New("no step is left")
	switch {
	case len(f.steps) > 0 && f.steps[0] == "*":
		err = nil
	case len(f.steps) > 0:
		place, err = strconv.Atoi(f.steps[0])
		if place < 0 {
			err = errNoColumn
		}
	}
	if err != nil {
		return fmt.Errorf("%s is a list: name an element of it, such as %[1]s.0, or all, as %[1]s[]", f.path())
	}
	f.take()
	f.found.lists = true
	f.found.steps = append(f.found.steps, fieldStep{list: true, place: place})
	return f.findIn(of)
}

// AppendText implements columnar.Field.
func (f field) AppendText(dst []byte, b *Batch, i, limit int) (text []byte, isThere bool) {
	most := len(dst) + limit
	below(b.columns[f.column], i, f.steps, func(d arrow.ArrayData, i int) bool {
		if isThere {
			dst = append(dst, '\n')
		}
		isThere = true
		if checkText(d.DataType()) != nil {
			dst = appendLiteral(dst, d, i)
			return len(dst) <= most
		}
		value := bytesAt(d, layoutOf(d.DataType()), i)
		dst = append(dst, value[:min(len(value), max(0, most-len(dst)+1))]...)
		return len(dst) <= most
	})
	return dst, isThere
}

// appendLiteral appends a value that is not text as JSON, without quotes.
func appendLiteral(dst []byte, d arrow.ArrayData, i int) []byte {
	start := len(dst)
	dst = (&jsonWriter{maxBytes: math.MaxInt}).value(dst, d, i)
	if dst[start] == '"' { // a date or base64: nothing is escaped
		dst = append(dst[:start], dst[start+1:len(dst)-1]...)
	}
	return dst
}

// InLists implements columnar.Field.
func (f field) InLists() bool { return f.lists }

// AppendValue implements columnar.Field.
func (f field) AppendValue(dst []byte, b *Batch, i, limit int) []byte {
	below(b.columns[f.column], i, f.steps, func(d arrow.ArrayData, i int) bool {
		if value := bytesAt(d, layoutOf(d.DataType()), i); len(value) <= limit {
			dst = (&jsonWriter{isText: true, maxBytes: math.MaxInt}).value(dst, d, i)
		}
		return false
	})
	return dst
}

// below calls found for each value that the steps lead to from value i, until it returns false. It
// skips nulls.
func below(d arrow.ArrayData, i int, steps []fieldStep, found func(d arrow.ArrayData, i int) bool) bool {
	l := layoutOf(d.DataType())
	for {
		if l.kind.hasValidity() && isNull(d, i) {
			return true
		}
		if storage(d.DataType()).ID() == arrow.DICTIONARY {
			d, i = d.Dictionary(), indexAt(d, i)
		} else if l.kind == runEnds {
			d, i = d.Children()[1], runAt(d, i)
		} else {
			break
		}
		l = layoutOf(d.DataType())
	}
	switch {
	case len(steps) == 0:
		return found(d, i)
	case steps[0].list:
		from, to := elementsAt(d, l, i)
		if place := steps[0].place; place != everyPlace {
			if from += place; from < to {
				return below(d.Children()[0], from, steps[1:], found)
			}
			return true
		}
		for ; from < to; from++ {
			if !below(d.Children()[0], from, steps[1:], found) {
				return false
			}
		}
		return true
	}
	return below(d.Children()[steps[0].child], i, steps[1:], found)
}

// elementsAt returns the bounds of the elements of list i.
func elementsAt(d arrow.ArrayData, l layout, i int) (from, to int) {
	switch l.kind {
	case fixedLists:
		return i * l.width, (i + 1) * l.width
	case listViews:
		at := number(bufferOf(d, 1), i, l.width)
		return int(at), int(at + number(bufferOf(d, 2), i, l.width))
	}
	return int(number(bufferOf(d, 1), i, l.width)), int(number(bufferOf(d, 1), i+1, l.width))
}
