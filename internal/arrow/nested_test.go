package arrow

import (
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// TestTextsAreThoseOfTheJSON: what a path leads to in rows is what it leads to in the objects that
// these are written as, also below lists, structs and maps.
func TestTextsAreThoseOfTheJSON(t *testing.T) {
	for _, paths := range [][]string{
		{"messages"}, {"messages[role=user]"}, {"messages[role!=user].content"}, {"messages[].content", "list"},
		{"struct"},
		{"struct{-title}"}, {"map"}, {"list"}, {"list[]"}, {"int64"}, {"bool", "none?"},
	} {
		for _, exact := range []bool{false, true} {
			fields := pathsOf(t, paths...)
			of := asJSON(fields...)
			of.Exact = exact
			some := false
			eachRecord(t, openNamed(t, NewTable(of), "types.arrow"), func(to *stream.Records, i int) {
				rec := to.List[i]
				raw, got := to.Buf[rec.Raw.Start:rec.Raw.End], to.Buf[rec.Text.Start:rec.Text.End]
				want, _, problem := record.NewFieldText(fields, exact).Text(raw)
				some = some || problem == (record.Problem{})
				if string(got) != string(want) || (rec.Problem == record.Problem{}) != (problem == record.Problem{}) {
					t.Errorf("%v (exact: %v): %q, %v; want %q, %v of %s", paths, exact, got, rec.Problem, want, problem,
						raw)
				}
			})
			if !some {
				t.Errorf("%v: no row has it", paths)
			}
		}
	}
}
