package record

import (
	"cmp"
	"fmt"
	"slices"
)

// allColumns are the columns of whole rows. Their texts are in the order of their names, so that
// rows of tables whose columns are in another order can be equal.
type allColumns struct {
	without []int
	names   []string // nil if rows have no header
}

// allBut returns all columns of a table but those of some names or numbers.
func (f *csvRows) allBut(without, names []string) (*allColumns, error) {
	a := &allColumns{names: names}
	for _, field := range without {
		column := f.column(field, names)
		if column < 0 {
			return nil, fatalError{fmt.Errorf("there is no column %q to leave out: choose from %s", field,
				listed(names))}
		}
		a.without = append(a.without, column)
	}
	return a, nil
}

// of appends the numbers of the columns of a row with that many.
func (a *allColumns) of(dst []int, fields int) []int {
	if a == nil {
		return dst
	}
	before := len(dst)
	for column := range fields {
		if !slices.Contains(a.without, column) {
			dst = append(dst, column)
		}
	}
	if a.names != nil {
		slices.SortStableFunc(dst[before:], func(x, y int) int { return cmp.Compare(a.names[x], a.names[y]) })
	}
	return dst
}

// columnsOf are the numbers of the columns with the texts of a row with these fields.
func (t *Table) columnsOf(scratch []int, fields []span) []int {
	switch {
	case t.all != nil:
		return t.all.of(append(scratch[:0], t.columns...), len(fields))
	case t.others == nil:
		return t.columns
	}
	columns := append(scratch[:0], t.columns...)
	for i, others := range t.others {
		columns[i] = firstFilled(columns[i], others, fields)
	}
	return columns
}
