package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Columns returns the names of the top-level columns.
func (r *Reader) Columns() []string {
	var names []string
	for _, f := range r.schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// Difference describes why the rows of another input cannot be in one table with those of r, or
// returns "" if they can. Metadata may differ.
func (r *Reader) Difference(another *Reader) string {
	s, other := r.schema, another.schema
	for i, f := range s.Fields() {
		if i >= other.NumFields() {
			return fmt.Sprintf("it has no column %q", f.Name)
		}
		switch g := other.Field(i); {
		case f.Name != g.Name && indexOf(other.Fields(), f.Name) < 0:
			return fmt.Sprintf("it has no column %q", f.Name)
		case f.Name != g.Name:
			return fmt.Sprintf("its column %d is %q instead of %q", i+1, g.Name, f.Name)
		case !arrow.TypeEqual(f.Type, g.Type):
			return fmt.Sprintf("its column %q is %s instead of %s", f.Name, g.Type, f.Type)
		case g.Nullable && !f.Nullable:
			return fmt.Sprintf("its column %q may be null", f.Name)
		}
	}
	if n := s.NumFields(); other.NumFields() > n {
		return fmt.Sprintf("it has another column, %q", other.Field(n).Name)
	}
	return ""
}
