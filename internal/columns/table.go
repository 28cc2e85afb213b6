// Package columns finds out which table JSON objects make: a column for each name that one of them
// has, in the order in which names appear first, and of the narrowest kind that holds all values.
package columns

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A Kind is what the values of a column are.
type Kind uint8

const (
	Nothing Kind = iota // all of them are null
	Bool
	Integer // of 64 bits
	Number  // a double has each value as closely as it can
	String
	JSON // anything, as JSON
	long // an integer of 64 bits that a double may not hold exactly
)

// A Column is one of a table. Any of its values may be missing.
type Column struct {
	Name string
	Kind Kind
}

// maxColumns bounds a table: names that are values, as in {"2024-02-29":1}, make no columns.
const maxColumns = 10_000

// A Table learns its columns from objects. It serves one goroutine.
type Table struct {
	columns []Column
	numbers map[string]int
	row     [][]byte

	fixed, fromText bool // NewTable
}

// Add learns from an object, which must be valid JSON.
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

// Columns are the columns of all objects so far. A table of no members has the named columns.
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

// Row returns the values of an object in the order of the columns, as JSON; one that is missing is
// nil. Where a name is repeated the last member counts. They are good until the next call.
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
			return JSON // it is too large
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

// join is the narrowest kind that holds the values of both.
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

// Text is what a value of a column stands for: what is in a string, and all others as they stand.
// It is part of the value where it can be, and of scratch where it cannot.
func (c Column) Text(scratch *[]byte, value []byte) []byte {
	if value[0] == '"' && c.Kind == String {
		return text(scratch, value)
	}
	return value
}

// IsNull reports whether a value of a row is missing, or null.
func IsNull(value []byte) bool { return len(value) == 0 || value[0] == 'n' }
