package columns

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		values string
		want   Kind
	}{
		{`null`, Nothing}, {`true null false`, Bool}, {`1 -20`, Integer}, {`1 2.5`, Number}, {`1e3 null 2`, Number},
		{`9007199254740993 1`, Integer}, {`9007199254740993 1.5`, JSON}, {`-9223372036854775808`, Integer},
		{`9223372036854775808`, JSON}, {`1e999`, JSON}, {`"a" null "b"`, String}, {`"a" 1`, JSON}, {`true 1`, JSON},
		{`[1] null`, JSON}, {`{} {}`, JSON}, {`null "a" true`, JSON},
	} {
		table := &Table{}
		for value := range strings.FieldsSeq(c.values) {
			if err := table.Add([]byte(`{"a":` + value + `}`)); err != nil {
				t.Fatal(err)
			}
		}
		if got := table.Columns(); !reflect.DeepEqual(got, []Column{{"a", c.want}}) {
			t.Errorf("%s: %v, want kind %d", c.values, got, c.want)
		}
	}
}

func TestColumnsOfNoRecords(t *testing.T) {
	table := &Table{}
	if err := table.Add([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if got := table.Columns("id", "text"); !reflect.DeepEqual(got, []Column{{"id", Nothing}, {"text", Nothing}}) {
		t.Errorf("%v", got)
	}
}

func TestTooManyColumns(t *testing.T) {
	table := &Table{}
	for i := range maxColumns {
		if err := table.Add(fmt.Appendf(nil, `{"%d":1,"%d":2}`, i, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Add([]byte(`{"one more":1}`)); err == nil || !strings.Contains(err.Error(), "more than 10000 names") {
		t.Errorf("%v", err)
	}
}

// Quotes behind an even number of backslashes end a string, and behind an odd number they do not.
func TestStringsEnd(t *testing.T) {
	for backslashes := range 9 {
		written := `"` + strings.Repeat(`\`, backslashes)
		if backslashes%2 == 1 {
			written += `"`
		}
		written += `"`
		table := &Table{}
		object := []byte(`{"a":` + written + `,"b":1}`)
		if err := table.Add(object); err != nil {
			t.Fatal(err)
		}
		row := table.Row(object)
		if len(row) != 2 || string(row[0]) != written || string(row[1]) != "1" {
			t.Errorf("%s: %q", object, row)
		}
	}
}

// A string that is not closed is no reason to read beyond the object.
func TestStringWithoutEnd(t *testing.T) {
	for _, b := range []string{`"`, `"a`, `"\`, `"\"`, `"a\\\"`} {
		if end := behindString([]byte(b), 0); end != len(b) {
			t.Errorf("%s: %d", b, end)
		}
	}
}

// jsonValue is any value of JSON, with white space wherever it may stand.
func jsonValue(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := func() string { return rapid.SampledFrom([]string{"", " ", "\t", "\n "}).Draw(t, "space") }
		kind := rapid.IntRange(0, 3+2*min(depth, 1)).Draw(t, "kind")
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "literal")
		case 1:
			return rapid.SampledFrom([]string{"0", "-1", "2.5", "1e3", "12345678901234567890"}).Draw(t, "number")
		case 2, 3:
			return rapid.SampledFrom([]string{
				`""`, `"a"`, `"\""`, `"\\"`, `"{[,:\\\"]}"`, `"a,b"`, `"\n"`, `"\u0061\ud83d\ude00é"`, `"\ud800"`, "\"\xff\"",
			}).Draw(t, "string")
		}
		var parts []string
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			part := space() + jsonValue(depth-1).Draw(t, "part") + space()
			if kind == 5 {
				name := rapid.SampledFrom([]string{`"a"`, `"\u0061"`, `"b,"`, `""`, `"c"`}).Draw(t, "name")
				part = space() + name + space() + ":" + part
			}
			parts = append(parts, part)
		}
		brackets := [2]string{"[", "]"}
		if kind == 5 {
			brackets = [2]string{"{", "}"}
		}
		return brackets[0] + space() + strings.Join(parts, ",") + brackets[1]
	})
}

// TestRowsHaveTheMembers compares rows with what encoding/json reads of the objects, and with what
// encoding/csv reads of the rows.
func TestRowsHaveTheMembers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var objects []string
		for range rapid.IntRange(1, 4).Draw(rt, "objects") {
			object := jsonValue(3).Filter(func(s string) bool { return s[0] == '{' }).Draw(rt, "object")
			objects = append(objects, object)
		}
		table := &Table{}
		for _, object := range objects {
			if err := table.Add([]byte(object)); err != nil {
				rt.Fatal(err)
			}
		}
		var scratch []byte
		list := table.Columns("none")
		written := AppendHeader(nil, list)
		for _, object := range objects {
			var want map[string]any
			if err := json.Unmarshal([]byte(object), &want); err != nil {
				rt.Fatalf("%q: %v", object, err)
			}
			row := table.Row([]byte(object))
			for i, c := range list {
				var got any
				if row[i] != nil {
					if err := json.Unmarshal(row[i], &got); err != nil {
						rt.Fatalf("%q, column %q: %q", object, c.Name, row[i])
					}
				}
				if !reflect.DeepEqual(got, want[c.Name]) {
					rt.Fatalf("%q, column %q: %v, want %v", object, c.Name, got, want[c.Name])
				}
			}
			written = AppendRow(&scratch, written, list, row)
		}
		rows, err := csv.NewReader(bytes.NewReader(written)).ReadAll()
		if err != nil || len(rows) != 1+len(objects) {
			rt.Fatalf("%q: %d rows, %v", written, len(rows), err)
		}
		for i, object := range objects {
			for j, value := range table.Row([]byte(object)) {
				want := string(value)
				if IsNull(value) {
					want = ""
				} else if value[0] == '"' {
					json.Unmarshal(value, &want)
				}
				if got := rows[1+i][j]; got != strings.ReplaceAll(want, "\r\n", "\n") {
					rt.Fatalf("%q: %q, want %q", written, got, want)
				}
			}
		}
	})
}
