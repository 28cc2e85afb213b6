// Package columns infers a table from JSON objects: a column for each member name, in the order of
// first use, with the narrowest type that holds all values.
package columns

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Kind is the type of a column.
type Kind uint8

const (
	Nothing Kind = iota // all values are null
	Bool
	Integer // 64 bits
	Number  // each value is stored as the nearest double
	String
	JSON // anything, as JSON
	long // a 64-bit integer that a double may not represent exactly
)

// A Column is a column of a table. Any of its values may be missing.
type Column struct {
	Name string
	Kind Kind
}

// maxColumns bounds a table: member names that are data, as in {"2024-02-29":1}, are not columns.
const maxColumns = 10_000

// A Table infers its columns from objects. Only one goroutine may use it.
type Table struct {
	columns []Column
	numbers map[string]int
	row     [][]byte

	fixed, fromText bool // set by NewTable
}

// Add infers columns from an object, which must be valid JSON.
func (t *Table) Add(object []byte) error {
	return members(object, func(name, value []byte) error {
		i, known := t.numbers[string(name)]
		if t.fixed {
			if !known {
				return fmt.Errorf("there is no column for the member %q", name)
			}
			return t.fit(t.columns[i], value)
		}
		if !known {
			if len(t.columns) == maxColumns {
				return fmt.Errorf("the records have members of more than %d names, which are too many "+
					"for columns", maxColumns)
			}
			i = t.add(string(name))
		}
		t.columns[i].Kind = join(t.columns[i].Kind, kindOf(value))
		return nil
	})
}

func (t *Table) add(name string) int {
	if t.numbers == nil {
		t.numbers = map[string]int{}
	}
	t.numbers[name] = len(t.columns)
	t.columns = append(t.columns, Column{Name: name})
	return len(t.columns) - 1
}

// Columns returns the columns of all objects so far, or the named ones if no object had members.
func (t *Table) Columns(otherwise ...string) []Column {
	if len(t.columns) == 0 {
		for _, name := range otherwise {
			t.add(name)
		}
	}
	columns := slices.Clone(t.columns)
	for i := range columns {
		if columns[i].Kind == long {
			columns[i].Kind = Integer
		}
	}
	return columns
}

// Row returns the values of an object in the order of the columns, as JSON; a missing one is nil.
// If a name is repeated the last member counts. The slices are valid until the next call.
func (t *Table) Row(object []byte) [][]byte {
	t.row = slices.Grow(t.row[:0], len(t.columns))[:len(t.columns)]
	clear(t.row)
	members(object, func(name, value []byte) error {
		if i, known := t.numbers[string(name)]; known {
			t.row[i] = t.read(t.columns[i], value)
		}
		return nil
	})
	return t.row
}

func kindOf(value []byte) Kind {
	switch value[0] {
	case 'n':
		return Nothing
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '{', '[':
		return JSON
	}
	if bytes.ContainsAny(value, ".eE") {
		if _, err := strconv.ParseFloat(string(value), 64); err != nil {
			return JSON // too large
		}
		return Number
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	switch {
	case err != nil:
		return JSON
	case n > 1<<53 || n < -1<<53 || n == math.MinInt64:
		return long
	}
	return Integer
}

// join returns the narrowest kind that holds the values of both.
func join(a, b Kind) Kind {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b || a == Nothing:
		return b
	case a == Integer && (b == Number || b == long):
		return b
	}
	return JSON
}

// Text returns the text of a value: the contents of a string, and other values unchanged. It is a
// part of value if possible, else of scratch.
func (c Column) Text(scratch *[]byte, value []byte) []byte {
	if value[0] == '"' && c.Kind == String {
		return text(scratch, value)
	}
	return value
}

// IsNull reports whether a value of a row is missing or null.
func IsNull(value []byte) bool { return len(value) == 0 || value[0] == 'n' }
