package columnar

import "testing"

// columnNames is a schema with these columns.
type columnNames struct {
	names    []string
	features string
}

func (s *columnNames) Difference(*columnNames) string           { return "" }
func (s *columnNames) Union(*columnNames) (*columnNames, error) { return s, nil }
func (s *columnNames) Columns() []string                        { return s.names }

func (s *columnNames) CheckJSON() error         { return nil }
func (s *columnNames) Units() map[string]string { return nil }
func (s *columnNames) Features() string         { return s.features }

// TestColumnsOfOneName: they can be written as rows, and read, but not as members of one object.
func TestColumnsOfOneName(t *testing.T) {
	twice := &columnNames{names: []string{"id", "v", "v"}}
	once := &columnNames{names: []string{"id", "v"}}
	for _, c := range []struct {
		needs RowNeeds
		fails bool
	}{
		{RowNeeds{AsJSON: true}, true}, {RowNeeds{AsJSON: true, Unwritten: true, PerInput: true}, true},
		{RowNeeds{AsJSON: true, Unwritten: true}, false}, {RowNeeds{}, false}, {RowNeeds{Unwritten: true}, false},
	} {
		table := &Table[*columnNames]{RowNeeds: c.needs}
		if err := table.join("a", once); err != nil {
			t.Errorf("%+v: %v", c.needs, err)
		}
		if err := table.join("b", twice); (err != nil) != c.fails {
			t.Errorf("%+v: %v", c.needs, err)
		}
	}
}

// TestClassesOfRowsAsJSON: of a class JSON has the number alone, so inputs that number classes in
// different ways share no output. What is not written, or goes to another file, may differ.
func TestClassesOfRowsAsJSON(t *testing.T) {
	label := func(column, names string) *columnNames {
		return &columnNames{[]string{column}, `{"info":{"features":{"` + column + `":{"_type":"ClassLabel","names":[` +
			names + `]}}}}`}
	}
	for _, c := range []struct {
		needs RowNeeds
		fails bool
	}{
		{RowNeeds{AsJSON: true}, true}, {RowNeeds{AsJSON: true, PerInput: true}, false},
		{RowNeeds{AsJSON: true, Unwritten: true}, false},
	} {
		table := &Table[*columnNames]{RowNeeds: c.needs}
		for _, same := range []*columnNames{
			{names: []string{"x"}}, label("x", `"a","b"`), label("y", `"b","a"`), label("x", `"a","b"`),
		} {
			if err := table.Expect("same", same); err != nil {
				t.Errorf("%+v: %v", c.needs, err)
			}
		}
		for _, other := range []*columnNames{label("x", `"b","a"`), label("y", `"b"`)} {
			if err := table.Expect("other", other); (err != nil) != c.fails {
				t.Errorf("%+v: %v", c.needs, err)
			}
		}
	}
}
