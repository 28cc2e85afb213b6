package record

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Rows of any header have, in the columns of all, the values that they had by name.
func TestRowsOfUnionKeepTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"a", "b", "c d", "e\"f", "g;h"})
		cell := rapid.StringOfN(rapid.SampledFrom([]rune("x,;\"\n\\ \u00e9")), 0, 5, -1)
		format := CSV(0, true, nil)
		union := NewRowUnion(format, false)
		type input struct{ names, row []string }
		var inputs []input
		var all []string
		for range rapid.IntRange(2, 3).Draw(t, "inputs") {
			in := input{names: rapid.SliceOfNDistinct(name, 2, 4, rapid.ID).Draw(t, "names")}
			for range in.names {
				in.row = append(in.row, cell.Draw(t, "cell"))
			}
			inputs = append(inputs, in)
			for _, n := range in.names {
				if !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
			if err := union.Add("in", []byte(written(t, ',', in.names)+"\n")); err != nil {
				t.Fatal(err)
			}
		}
		if err := union.Complete(); err != nil {
			t.Fatal(err)
		}
		if header := read(t, string(union.lead)); !slices.Equal(header, all) {
			t.Fatalf("the header is %q, want %q", header, all)
		}
		for _, in := range inputs {
			head := []byte(written(t, ',', in.names) + "\n")
			_, table, err := format.NewSplitter().(*rowSplitter).Head(head)
			if err == nil {
				table.to, err = union.mapping(table)
			}
			if err != nil {
				t.Fatal(err)
			}
			row := written(t, ',', in.row)
			if table.to != nil {
				row = string((&RowRewriter{union: union}).Append(nil, []byte(row), table))
			}
			got := read(t, row+"\n")
			for i, n := range all {
				want := ""
				if at := slices.Index(in.names, n); at >= 0 {
					want = in.row[at]
				}
				if got[i] != want {
					t.Fatalf("column %q of %q is %q, want %q", n, row, got[i], want)
				}
			}
		}
	})
}

// written is a row without what ends it.
func written(t *rapid.T, comma rune, row []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = comma
	if err := w.Write(row); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

func read(t *rapid.T, row string) []string {
	fields, err := csv.NewReader(strings.NewReader(row)).Read()
	if err != nil {
		t.Fatalf("%q: %v", row, err)
	}
	return fields
}
