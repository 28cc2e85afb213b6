package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAlternatives: a path is divided at bars, but not within brackets, braces and pointers, or
// after a backslash.
func TestAlternatives(t *testing.T) {
	for path, want := range map[string][]string{
		"guid":                         {"guid"},
		"guid|link":                    {"guid", "link"},
		"a.b?|c[]|d":                   {"a.b?", "c[]", "d"},
		"m[role=user|bot].t|text":      {"m[role=user|bot].t", "text"},
		`m[role=a\]|b|c].t{-x|y,-z}|u`: {`m[role=a\]|b|c].t{-x|y,-z}`, "u"},
		`a\|b|c`:                       {`a\|b`, "c"},
		`a[b|c`:                        {"a[b", "c"},
		"a{b|c}":                       {"a{b", "c}"},
		"/a|b":                         {"/a|b"},
		"a|/b.c":                       {"a", "/b.c"},
		"a|":                           {"a", ""},
	} {
		if got := Alternatives(path); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestFirstAlternative: text, key and named value of a field with alternatives are those of the
// first of them that leads to a value which is not null.
func TestFirstAlternative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := []string{"a", "b.c", "d.0", "e", "f.1.g", `h\|i`, "/j"}
		places := map[string]string{"a": `"a":%s`, "b.c": `"b":{"x":1,"c":%s}`, "d.0": `"d":[%s,"z"]`, "e": `"e":%s`,
			"f.1.g": `"f":[0,{"g":%s}]`, `h\|i`: `"h|i":%s`, "/j": `"j":%s`}
		value := rapid.SampledFrom([]string{"", "null", `"x"`, `"\u0041\n"`, "1.50", "true", `{"k":["v",null]}`, `""`})
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(paths[1:6]), 1, 4, rapid.ID[string]).Draw(t, "paths")
		first := rapid.SampledFrom([]string{"a", chosen[0]}).Draw(t, "first")
		if first != chosen[0] {
			chosen = append([]string{first}, chosen...)
		}
		var members []string
		expected := chosen[0]
		isFound := false
		for _, path := range chosen {
			v := value.Draw(t, path)
			if v == "" {
				continue
			}
			members = append(members, fmt.Sprintf(places[path], v))
			if !isFound && v != "null" {
				expected, isFound = path, true
			}
		}
		record := []byte("{" + strings.Join(rapid.Permutation(members).Draw(t, "members"), ",") + "}")
		if !isFound {
			t.Skip("none has a value")
		}
		of := func(path string, exact bool) string {
			f, err := ParseField(path)
			if err != nil {
				t.Fatal(err)
			}
			text, left, p := NewFieldText([]Field{f}, exact).Text(record)
			return fmt.Sprintf("%q %d %v", text, left.Values(), p)
		}
		all := strings.Join(chosen, "|")
		for _, exact := range []bool{false, true} {
			if got, want := of(all, exact), of(expected, exact); got != want {
				t.Errorf("%s of %s: %s, want that of %s: %s", all, record, got, expected, want)
			}
		}
		named := func(path string) string {
			p := JSONLines([]Field{Member("a")}).NewParser(path)
			p.Find(record)
			return string(p.Value(0, View{Body: record}))
		}
		if got, want := named(all), named(expected); got != want {
			t.Errorf("value %s of %s: %s, want %s", all, record, got, want)
		}
	})
}
