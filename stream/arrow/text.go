package arrow

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A textField is where in a row a text stands: in a column, and below it.
type textField struct {
	column int
	steps  []textStep
	lists  bool // it goes through lists, where there may be no such element
}

// A textStep goes from a value to one below it: to a child of a struct, or an element of a list.
type textStep struct {
	child int
	place int // of an element; everyPlace for all
	list  bool
}

const everyPlace = -1

var errNoColumn = errors.New("no such column")

// fieldOf finds the column of a path. A number in it is a place in a list.
func fieldOf(s *arrow.Schema, path stream.Field) (textField, error) {
	f := fieldFinder{steps: path.Steps()}
	i := indexOf(s.Fields(), f.steps[0])
	err := errNoColumn
	if i >= 0 {
		f.take()
		err = f.find(s.Field(i).Type)
	}
	switch {
	case errors.Is(err, errNoColumn):
		return textField{}, fmt.Errorf("it has no column %q; its columns are %s", path, namesOf(s))
	case err != nil:
		return textField{}, fmt.Errorf("field %q: %w", path, err)
	}
	f.found.column = i
	return f.found, nil
}

func indexOf(fields []arrow.Field, name string) int {
	for i, f := range fields {
		if f.Name == name {
			return i
		}
	}
	return -1
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
	done  []string // the steps that are taken
	found textField
}

func (f *fieldFinder) take() { f.done, f.steps = append(f.done, f.steps[0]), f.steps[1:] }

func (f *fieldFinder) path() string { return strings.Join(f.done, ".") }

// find takes the next steps below a type.
func (f *fieldFinder) find(t arrow.DataType) error {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return f.find(t.ValueType)
	case *arrow.RunEndEncodedType:
		return f.find(t.Encoded())
	case *arrow.MapType:
		return fmt.Errorf("%s is a map, in which no text can be named", f.path())
	case arrow.ListLikeType:
		return f.findElement(t.Elem())
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
		f.found.steps = append(f.found.steps, textStep{child: i})
		return f.find(t.Field(i).Type)
	default:
		if len(f.steps) > 0 {
			return errNoColumn
		}
		if l := layoutOf(t); l.kind != binaries && l.kind != views {
			return fmt.Errorf("it is no text, but %s", t)
		}
		return nil
	}
}

func (f *fieldFinder) findElement(t arrow.DataType) error {
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
	f.found.steps = append(f.found.steps, textStep{list: true, place: place})
	return f.find(t)
}

// A textTaker appends the texts of a row. It stops soon after it has appended more than limit
// bytes: such a text is too long.
type textTaker struct {
	dst     []byte
	isThere bool
	most    int // of dst
}

// appendTo appends the text in row i, several texts with a newline between two of them; false if
// nothing is there.
func (f textField) appendTo(dst []byte, b *Batch, i, limit int) (text []byte, isThere bool) {
	t := textTaker{dst: dst, most: len(dst) + limit}
	t.take(b.columns[f.column], i, f.steps)
	return t.dst, t.isThere
}

func (t *textTaker) take(d arrow.ArrayData, i int, steps []textStep) {
	l := layoutOf(d.DataType())
	for {
		if l.kind.hasValidity() && isNull(d, i) {
			return
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
		if t.isThere {
			t.dst = append(t.dst, '\n')
		}
		value := bytesAt(d, l, i)
		t.dst, t.isThere = append(t.dst, value[:min(len(value), max(0, t.most-len(t.dst)+1))]...), true
	case steps[0].list:
		from, to := elementsAt(d, l, i)
		if place := steps[0].place; place != everyPlace {
			if from += place; from < to {
				t.take(d.Children()[0], from, steps[1:])
			}
			return
		}
		for ; from < to && len(t.dst) <= t.most; from++ {
			t.take(d.Children()[0], from, steps[1:])
		}
	default:
		t.take(d.Children()[steps[0].child], i, steps[1:])
	}
}

// elementsAt is where the elements of list i begin and end.
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
