package record

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

func keyOf(t testing.TB, line string, paths ...string) (string, Problem) {
	t.Helper()
	key, p := Exact(JSONLines(fieldsOf(t, paths...))).NewParser().Text([]byte(line))
	return string(key), p
}

func TestExactKeysOfOneValue(t *testing.T) {
	for _, format := range []Format{JSONLines(fieldsOf(t, "k")), JSONArray(fieldsOf(t, "k"))} {
		exact := Exact(format).NewParser()
		for record, want := range map[string]string{
			`{"k":"a\u0062"}`: "ab", `{"k":-1.5e3 }`: "-1.5e3", `{"k":true}`: "true", `{"k":false}`: "false",
			`{"k":"a\nb\\"}`: "a\nb\\", `{"k":"\\[x"}`: `\\[x`, `{"k":"\\x"}`: `\x`, `{"k":"1"}`: "1", `{"k":1}`: "1",
			`{"k":[1.0, "a" ,{"y":null,"x":[ ]}]}`: `\[1,"a",{"x":[],"y":null}]`,
			`{"k":{"b":1e2,"a":0.50,"b":-0}}`:      `\{"a":0.5,"b":0}`,
			`{"k":{"a":100,"\u0062":100.0}}`:       `\{"a":100,"b":100}`,
			`{"k":"\ud800"}`:                       "\xed\xa0\x80", `{"k":"\ud83d\ude00\ufffd"}`: "😀\ufffd",
			`{"k":""}`: "",
		} {
			text, p := exact.Text([]byte(record))
			if p.kind != KindReadable || string(text) != want {
				t.Errorf("%s: %q, %v; want %q", record, text, p, want)
			}
		}
		if _, p := exact.Text([]byte(`{"k":null}`)); p.kind != KindNull {
			t.Errorf("null: %v", p)
		}
		if _, p := exact.Text([]byte(`{}`)); p.kind != KindNoField {
			t.Errorf("missing: %v", p)
		}
	}
}

func TestLargeNumbersAreCompared(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"9007199254740993", "9007199254740992", 1}, {"-9007199254740993", "-9007199254740992", -1},
		{"1e400", "1e399", 1}, {"1.0", "1", 0}, {"0.1", "1e-1", 0}, {"-0", "0.00e9", 0}, {"10", "9", 1},
		{"-1", "1", -1},
		{"18446744073709551615", "18446744073709551616", -1}, {"1e-400", "0", 1}, {"100", "1e2", 0},
		{"0.10", "0.09", 1},
	} {
		got, ok := jsontext.CompareNumbers([]byte(c.a), []byte(c.b))
		back, _ := jsontext.CompareNumbers([]byte(c.b), []byte(c.a))
		if !ok || got != c.want || back != -c.want {
			t.Errorf("%s and %s: %d and %d, %v; want %d", c.a, c.b, got, back, ok, c.want)
		}
	}
	for _, bad := range []string{"", "x", "NaN", "Infinity", "-", "1e99999999999999999999", `"1"`} {
		if _, ok := jsontext.CompareNumbers([]byte(bad), []byte("1")); ok {
			t.Errorf("%q was taken for a number", bad)
		}
	}
}

// TestNumbersKeepTheirValues holds canonical numbers against math/big.
func TestNumbersKeepTheirValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		written := string(appendNumber(nil, []byte(literal)))
		a, _ := new(big.Rat).SetString(literal)
		b, ok := new(big.Rat).SetString(written)
		if !ok || !json.Valid([]byte(written)) || a.Cmp(b) != 0 {
			t.Fatalf("%s is written as %s", literal, written)
		}
		other := rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9])?`).Draw(t, "other")
		c, _ := new(big.Rat).SetString(other)
		if order, _ := jsontext.CompareNumbers([]byte(literal), []byte(other)); order != a.Cmp(c) {
			t.Fatalf("%s and %s: %d", literal, other, order)
		}
		if same := written == string(appendNumber(nil, []byte(other))); same != (a.Cmp(c) == 0) {
			t.Fatalf("%s and %s are equal: %v", literal, other, same)
		}
	})
}

// TestKeysAreEqualIfAndOnlyIfValuesAre holds keys against the trees that encoding/json makes.
func TestKeysAreEqualIfAndOnlyIfValuesAre(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("a\\n\n,-0[{\"")))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.SampledFrom([]any{nil, true, 1.5}))
		if depth == 0 {
			return leaf
		}
		inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
		return rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(inner, 0, 2), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "\""}), inner, 0, 2),
				func(m map[string]any) any { return m }))
	}
	for _, paths := range [][]string{{"x"}, {"x", "y"}, {"x[]"}, {"x[]", "y"}, {"x[].a", "y[]"}} {
		rapid.Check(t, func(t *rapid.T) {
			var keys, models []string
			for range 2 {
				members := map[string]any{"x": value(2).Draw(t, "x"), "y": value(1).Draw(t, "y")}
				line, err := json.Marshal(members)
				if err != nil {
					t.Fatal(err)
				}
				fields := make([]Field, len(paths))
				var model []any
				for i, path := range paths {
					fields[i], _ = ParseField(path)
					if steps := fields[i].Steps(); len(steps) > 1 {
						found := []any{}
						walk(members, steps, func(v any) { found = append(found, v) })
						model = append(model, found)
					} else {
						model = append(model, members[path])
					}
				}
				key, p := Exact(JSONLines(fields)).NewParser().Text(line)
				if p.kind != KindReadable {
					return // none of the fields is there
				}
				encoded, _ := json.Marshal(model)
				keys, models = append(keys, string(key)), append(models, string(encoded))
			}
			if sameWritten(models[0], models[1]) != (keys[0] == keys[1]) {
				t.Fatalf("%v: the keys of %s and %s are %q and %q", paths, models[0], models[1], keys[0], keys[1])
			}
		})
	}
}

// sameWritten reports whether two models are equal, where a literal by itself is the string of its
// characters.
func sameWritten(a, b string) bool {
	plain := strings.NewReplacer(`"true"`, "true", `"1.5"`, "1.5")
	return plain.Replace(a) == plain.Replace(b)
}

func TestDifferentTuplesAreDifferentKeys(t *testing.T) {
	for _, c := range [][2]string{
		{`{"a":"p\nq","b":"r"}`, `{"a":"p","b":"q\nr"}`}, {`{"a":"","b":"\n"}`, `{"a":"\n","b":""}`},
		{`{"a":"x\\n","b":"y"}`, `{"a":"x\n","b":"y"}`}, {`{"a":null,"b":"y"}`, `{"a":"","b":"y"}`},
		{`{"a":null,"b":"y"}`, `{"a":"\\-","b":"y"}`}, {`{"a":["x"],"b":"y"}`, `{"a":"[\"x\"]","b":"y"}`},
		{`{"a":"x","b":"y"}`, `{"a":"y","b":"x"}`}, {`{"a":"\ud800","b":""}`, `{"a":"\udc00","b":""}`},
		{`{"a":"\ud800","b":""}`, `{"a":"\ufffd","b":""}`}, {`{"a":{"k":"\ud800"}}`, `{"a":{"k":"\ufffd"}}`},
	} {
		one, _ := keyOf(t, c[0], "a", "b")
		other, _ := keyOf(t, c[1], "a", "b")
		if one == other {
			t.Errorf("%s and %s are %q", c[0], c[1], one)
		}
	}
	one, _ := keyOf(t, `{"a":null,"b":"y"}`, "a", "b")
	if other, _ := keyOf(t, `{"b":"y"}`, "a", "b"); one != other {
		t.Errorf("null is %q, and a missing field %q", one, other)
	}
	one, _ = keyOf(t, `{"m":[{"c":"x\ny"},{"c":"z"}]}`, "m[].c")
	if other, _ := keyOf(t, `{"m":[{"c":"x"},{"c":"y\nz"}]}`, "m[].c"); one == other {
		t.Errorf("two lists are %q", one)
	}
}

// Rows of CSV have the keys that JSON objects of the same texts have.
func TestKeysOfRowsAreThoseOfObjects(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("a\\n\n,\"[{")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		line, _ := json.Marshal(map[string]string{"a": a, "b": b})
		row := fmt.Sprintf("\"%s\",\"%s\"", strings.ReplaceAll(a, `"`, `""`), strings.ReplaceAll(b, `"`, `""`))
		for _, names := range [][]string{{"a"}, {"b"}, {"a", "b"}} {
			fields := make([]Field, len(names))
			for i, name := range names {
				fields[i], _ = ParseField(name)
			}
			want, _ := Exact(JSONLines(fields)).NewParser().Text(line)
			rows := CSV(',', true, names).(*csvRows)
			table, err := rows.table(rows.dialect, []string{"a", "b"})
			if err != nil {
				t.Fatal(err)
			}
			p := Exact(rows).NewParser()
			p.SetTable(table)
			if got, problem := p.Text([]byte(row)); problem.kind != KindReadable || string(got) != string(want) {
				t.Fatalf("%v of %s: %q, %v; want %q", names, row, got, problem, want)
			}
		}
	})
}
