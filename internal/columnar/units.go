package columnar

import "fmt"

// A UnitError names a column whose numbers have another unit, or none, in another file, and would
// change their meaning beside those.
type UnitError struct{ Column, There, Here string }

func (e UnitError) Error() string {
	return fmt.Sprintf("column %q is %s there, and %s here, so that its numbers would change their meaning; give each "+
		"an output of its own, with --output-dir, or change the numbers first", e.Column, e.There, e.Here)
}

// checkUnits refuses an input whose numbers have another unit than those of an input that shares
// its output: in JSON they have none.
func (t *Table[S]) checkUnits(name string, s S) error {
	for column, unit := range s.Units() {
		before, isKnown := t.units[column]
		switch {
		case !isKnown && t.units == nil:
			t.units = map[string]unitIn{column: {unit, name}}
		case !isKnown:
			t.units[column] = unitIn{unit, name}
		case before.unit != unit:
			return fmt.Errorf("it does not go with %s: %w", before.name, UnitError{column, before.unit, unit})
		}
	}
	return nil
}

// A unitIn is the unit of a column, and the first input that has it.
type unitIn struct{ unit, name string }
