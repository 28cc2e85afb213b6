package parquet

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// TestTextsAreThoseOfTheJSON: what a path leads to in rows is what it leads to in the objects that
// these are written as, also below lists, groups and maps.
func TestTextsAreThoseOfTheJSON(t *testing.T) {
	for _, paths := range [][]string{
		{"structs"}, {"structs[role=user]"}, {"structs[role=user].parts"}, {"structs[role!=user]"}, {"structs[].parts"},
		{"structs[].role", "lists"},
		{"struct"}, {"struct{-title}"}, {"map"}, {"map.a"}, {"int_map"}, {"lists.0"}, {"text", "struct.title", "none?"},
		{"int64"}, {"bool", "date"}, {"list"}, {"list[]"}, {"decimal9", "uuid"}, {"nothing?", "text"},
	} {
		for _, exact := range []bool{false, true} {
			fields := make([]record.Field, len(paths))
			for i, path := range paths {
				fields[i] = fieldOf(t, path)
			}
			of := asJSON(fields...)
			of.Exact = exact
			texts, raws, problems := recordsOf(t, NewTable(of), "testdata/types.parquet")
			some := false
			for i, raw := range raws {
				want, _, problem := record.NewFieldText(fields, exact).Text([]byte(raw))
				some = some || problem == (record.Problem{})
				if texts[i] != string(want) || (problems[i] == record.Problem{}) != (problem == record.Problem{}) {
					t.Errorf("%v (exact: %v), row %d: %q, %v; want %q, %v of %s", paths, exact, i, texts[i],
						problems[i], want, problem, raw)
				}
			}
			if !some {
				t.Errorf("%v: no row has it", paths)
			}
		}
	}
}
