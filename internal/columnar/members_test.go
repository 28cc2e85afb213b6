package columnar

import "testing"

// columnNames is a schema with these columns.
type columnNames struct{ names []string }

func (s *columnNames) Difference(*columnNames) string           { return "" }
func (s *columnNames) Union(*columnNames) (*columnNames, error) { return s, nil }
func (s *columnNames) Columns() []string                        { return s.names }

func (s *columnNames) CheckJSON() error { return nil }

// TestColumnsOfOneName: they can be written as rows, and read, but not as members of one object.
func TestColumnsOfOneName(t *testing.T) {
	twice, once := &columnNames{[]string{"id", "v", "v"}}, &columnNames{[]string{"id", "v"}}
	for _, c := range []struct {
		wanted Wanted
		fails  bool
	}{
		{Wanted{AsJSON: true}, true}, {Wanted{AsJSON: true, Unwritten: true, PerInput: true}, true},
		{Wanted{AsJSON: true, Unwritten: true}, false}, {Wanted{}, false}, {Wanted{Unwritten: true}, false},
	} {
		table := &Table[*columnNames]{Wanted: c.wanted}
		if err := table.join("a", once); err != nil {
			t.Errorf("%+v: %v", c.wanted, err)
		}
		if err := table.join("b", twice); (err != nil) != c.fails {
			t.Errorf("%+v: %v", c.wanted, err)
		}
	}
}
