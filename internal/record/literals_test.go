package record

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLiteralsComeInTheOrderOfTheirPlaces(t *testing.T) {
	l := NewLiterals(JSONLines(fieldsOf(t, "a", "b.0", "c")))
	line := []byte(` {"c":"last \"one\"","b":["first"],"x":1,"a":2} `)
	got, err := l.Append(nil, line, nil)
	if err != nil || len(got) != 2 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, want := range []struct {
		field int
		text  string
	}{{2, `"last \"one\""`}, {1, `"first"`}} {
		if g := got[i]; g.Field != want.field || string(line[g.Start:g.End]) != want.text {
			t.Errorf("literal %d is %s of field %d, want %s of %d", i, line[g.Start:g.End], g.Field, want.text,
				want.field)
		}
	}
}

func TestLiteralsOfWhatIsNoRecord(t *testing.T) {
	l := NewLiterals(JSONLines(fieldsOf(t, "a")))
	for line, want := range map[string]string{"{": "the line is not valid JSON",
		"[]": "the line is JSON, but not an object", "": "the line is blank"} {
		if _, err := l.Append(nil, []byte(line), nil); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

// A cell of a row is found, and what is put in its place is what is read there: all other cells
// stay.
func TestCellsAreReplaced(t *testing.T) {
	cell := rapid.StringOf(rapid.SampledFrom([]rune("ab,\"\n\r\té;")))
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(cell, 2, 5).Draw(t, "row")
		if len(row) == 2 && row[0]+row[1] == "" {
			return // a blank line
		}
		column, text := rapid.IntRange(0, len(row)-1).Draw(t, "column"), cell.Draw(t, "text")
		var line []byte
		for i, value := range row {
			if i > 0 {
				line = append(line, ',')
			}
			if strings.ContainsAny(value, ",\"\n\r") || rapid.Bool().Draw(t, "quoted") {
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			line = append(line, value...)
		}
		table := &Table{dialect: dialect{comma: ','}, columns: []int{column}}
		literals := NewLiterals(CSV(',', false, []string{strconv.Itoa(column + 1)}))
		found, err := literals.Append(nil, line, table)
		if err != nil || len(found) != 1 || string(found[0].AppendText(nil, line)) != row[column] {
			t.Fatalf("%q: %v of %q, %v", line, found, row[column], err)
		}
		edited, ok := found[0].AppendAs(append([]byte(nil), line[:found[0].Start]...), line, []byte(text))
		if !ok {
			t.Fatalf("%q cannot stand in %q", text, line)
		}
		edited = append(edited, line[found[0].End:]...)
		row[column] = text
		if got, err := fieldsOfRow(edited, table.dialect); err != nil || !slices.Equal(got, row) {
			t.Errorf("%q: %q, want %q, %v", edited, got, row, err)
		}
	})
}

// Where nothing can be quoted, what would end a record or a cell is refused.
func TestTextsThatCannotStand(t *testing.T) {
	for _, c := range []struct {
		of         Format
		body, text string
		want       bool
	}{
		{Text("\n"), "line", "another", true}, {Text("\n"), "line", "two\nlines", false},
		{Text("||"), "line", "one|bar", true}, {Text("||"), "line", "two||bars", false},
		{TSV(false, []string{"1"}), "a\tb", "c", true}, {TSV(false, []string{"1"}), "a\tb", "c\td", false},
		{TSV(false, []string{"1"}), "a\tb", "c\nd", false},
	} {
		rows := &Table{dialect: dialect{comma: '\t', raw: true}, columns: []int{0}}
		found, err := NewLiterals(c.of).Append(nil, []byte(c.body), rows)
		if err != nil || len(found) != 1 {
			t.Fatalf("%q: %v, %v", c.body, found, err)
		}
		if _, ok := found[0].AppendAs(nil, []byte(c.body), []byte(c.text)); ok != c.want {
			t.Errorf("%q in %q: %v", c.text, c.body, ok)
		}
	}
}
