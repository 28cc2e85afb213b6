package record

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// testNames are the values that the tests ask for: at the top level, nested, in a list, and the
// text itself.
var testNames = []string{"id", "a.b", "a.0", "url", "text", "id"}

// valueByItself finds a value as if nothing else were wanted of the record, in a scan of its own.
func valueByItself(t testing.TB, line []byte, name string) string {
	s := newJSONScanner(fieldsOf(t, name), 0)
	if p := s.scan(line); p.kind != KindReadable || s.wants[0].start < 0 {
		return ""
	}
	return string(nameOf(line[s.wants[0].start:s.wants[0].end]))
}

// checkNamed checks that all values found in the scan for the text are those that a scan of its own
// finds, and that they make no difference to the text.
func checkNamed(t testing.TB, line []byte) {
	texts := fieldsOf(t, "text")
	several := fieldsOf(t, "text", "a[].b?", "url")
	for what, f := range map[string]Format{
		"lines": JSONLines(texts), "exact": Exact(JSONLines(texts)), "several": JSONLines(several),
		"exact, several": Exact(JSONLines(several)), "lists": Vectors(JSONLines(texts), 0),
		"array": JSONArray(texts), "messages": Messages(JSONLines(texts)),
	} {
		p, alone := f.NewParser(testNames...), f.NewParser()
		text, problem := p.Text(line)
		want, wantProblem := alone.Text(line)
		if !bytes.Equal(text, want) || problem != wantProblem || p.Omissions() != alone.Omissions() {
			t.Fatalf("%s of %q: text %q, %v beside values; %q, %v without", what, line, text, problem, want,
				wantProblem)
		}
		for _, when := range []string{"after the text", "after its release", "without the text"} {
			for i, name := range testNames {
				if got, want := string(p.Value(i, View{Body: line})), valueByItself(t, line, name); got != want {
					t.Fatalf("%s of %q: %s, %s is %s; by itself it is %s", what, line, when, name, got, want)
				}
			}
			if p.Release(); when == "after its release" {
				p.Find(line)
			}
		}
	}
}

var hostileRecords = []string{
	`{"id":1,"url":"http://a/","text":"x"}`, `{"text":"x","url":"\u0061","id":-1.5e3}`,
	`{"id":"a","text":"x","id":"b"}`,
	`{"id":"a","text":"x","id":null}`, `{"a":{"b":1},"text":"x","a":{"c":2}}`, `{"a":{"b":1},"text":"x","a":[3]}`,
	`{"i\u0064":"escaped","text":"x"}`, `{"a":{"a":{"b":1},"id":2,"text":"y"},"text":"x"}`, `{"id":NaN,"text":"x"}`,
	`{"id":-Infinity,"url":true,"text":"x"}`, `{"id":"a","text":"x"`, `{"id":"a","text":"x"}}`, `[{"id":1}]`, ``, ` `,
	`{"id":"a","text":"\ud800"}`, `{"id":"\x","text":"x"}`, `{"a":[{"b":1},{"b":2}],"id":{},"text":[1,2]}`, `{}`,
	`{"id":"a","text":null}`, `{"id":"a"}`, `{"text":"x","id":"\"\\\n"}`, "{\"id\":\"\xff\",\"text\":\"x\"}",
}

// FuzzNamedValues looks for values in anything.
func FuzzNamedValues(f *testing.F) {
	for _, seed := range hostileRecords {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkNamed(t, line) })
}

// TestNamedValues looks for values in records with members that repeat, have the same names further
// down, are written with escapes, are missing or of another kind; and in records that break off.
func TestNamedValues(t *testing.T) {
	var value func(depth int) *rapid.Generator[string]
	members := func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			var all []string
			for range rapid.IntRange(0, 6).Draw(t, "members") {
				name := rapid.SampledFrom([]string{"id", `\u0069d`, "a", "b", "0", "url", "text", `te\u0078t`, ""}).
					Draw(t, "name")
				all = append(all, `"`+name+`":`+value(depth-1).Draw(t, "value"))
			}
			return "{" + strings.Join(all, rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma")) + "}"
		})
	}
	value = func(depth int) *rapid.Generator[string] {
		leaf := rapid.SampledFrom([]string{
			`"x"`, `""`, `"\u00e9\"\n"`, `"\ud800"`, "1", "-2.5e+3", "-0", "null", "true", "NaN", "-Infinity", "[]",
			"[1,2]", "x",
		})
		if depth <= 0 {
			return leaf
		}
		list := rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[string] { return value(depth - 1) }),
			0, 3), func(l []string) string { return "[" + strings.Join(l, ",") + "]" })
		return rapid.OneOf(leaf, list, members(depth))
	}
	rapid.Check(t, func(rt *rapid.T) {
		line := members(3).Draw(rt, "record")
		if rapid.IntRange(0, 3).Draw(rt, "breaks") == 0 {
			line = line[:rapid.IntRange(0, len(line)).Draw(rt, "off")]
		}
		checkNamed(t, []byte(line))
	})
}

// TestNamedColumns compares with what a row has when it is taken apart by itself.
func TestNamedColumns(t *testing.T) {
	header := []string{"id", "text", "url"}
	names := []string{"url", "3", "nowhere?", "nowhere", "id"}
	columns := []int{2, 2, -1, -1, 0}
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.SampledFrom([]string{"", "x", `"a,b"`, `"say ""it"""`, `"open`, `"x"y`, "é"})
		cells := rapid.SliceOfN(cell, 1, 5)
		row := []byte(strings.Join(cells.Draw(t, "cells"), ",") + rapid.SampledFrom([]string{"", "\r"}).Draw(t, "end"))
		f := CSV(',', true, []string{"text"}).(*csvRows)
		table, err := f.table(f.dialect, header)
		if err != nil {
			t.Fatal(err)
		}
		p := f.NewParser(names...)
		p.SetTable(table)
		p.Text(row)
		p.Release()
		fields, err := fieldsOfRow(row, f.dialect)
		for i, column := range columns {
			want := ""
			if err == nil && column >= 0 && column < len(fields) {
				want = string(jsontext.AppendQuoted(nil, []byte(fields[column])))
			}
			if got := string(p.Value(i, View{Body: row})); got != want {
				t.Fatalf("%q: %s is %s, want %s", row, names[i], got, want)
			}
		}
	})
}

// TestNamedValuesBehindASchema looks for values behind the number of a schema. A message without
// one has none, whatever the message before it had.
func TestNamedValuesBehindASchema(t *testing.T) {
	f := Messages(Confluent(JSONLines(fieldsOf(t, "text"))))
	if err := CheckName(f, "id"); err != nil {
		t.Fatal(err)
	}
	p := f.NewParser("id")
	for _, c := range []struct{ message, want string }{
		{"\x00\x00\x00\x00\x07" + `{"id":7,"text":"x"}`, "7"}, {`{"id":8,"text":"x"}`, ""}, {"", ""}, {"\x00\x00", ""},
	} {
		for _, find := range []func([]byte){p.Find, func(body []byte) { p.Text(body) }} {
			find([]byte(c.message))
			if got := string(p.Value(0, View{Body: []byte(c.message)})); got != c.want {
				t.Errorf("%q: %s, want %s", c.message, got, c.want)
			}
		}
	}
}
