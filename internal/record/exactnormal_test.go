package record

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// The normal form of a key is the key of the normal forms of what is in it.
func TestNormalKeyOfStrings(test *testing.T) {
	rapid.Check(test, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("Aa\\\n{[\",-0nN:\u00c4 ")), 0, 6, -1)
		var value func(depth int) *rapid.Generator[any]
		value = func(depth int) *rapid.Generator[any] {
			of := []*rapid.Generator[any]{text.AsAny(), rapid.Just[any](nil), rapid.IntRange(0, 9).AsAny()}
			if depth > 0 {
				of = append(of, rapid.SliceOfN(value(depth-1), 0, 3).AsAny(),
					rapid.MapOfN(rapid.SampledFrom([]string{"N", "n", "a\"\\"}), value(depth-1), 0, 2).AsAny())
			}
			return rapid.OneOf(of...)
		}
		names := rapid.SampledFrom([][]string{{"a"}, {"a", "b"}, {"m[]"}, {"m[]", "a"}}).Draw(t, "fields")
		record := map[string]any{
			"a": value(2).Draw(t, "a"), "b": value(2).Draw(t, "b"), "m": rapid.SliceOfN(value(1), 0, 3).Draw(t, "m"),
		}
		key, p := keyOf(test, lineOf(t, record), names...)
		want, _ := keyOf(test, lineOf(t, lowered(record)), names...)
		if p.kind != KindReadable {
			return
		}
		lower := func(dst, text []byte, _ int) []byte { return append(dst, bytes.ToLower(text)...) }
		if got := NormalKey(nil, []byte(key), IsAlone(fieldsOf(test, names...)), lower); string(got) != want {
			t.Fatalf("%v of %q: %q has the normal form %q, want %q", names, record, key, got, want)
		}
	})
}

// lineOf is a record as JSON.
func lineOf(t *rapid.T, record any) string {
	line, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// lowered is a value whose strings are in lower case, but for names.
func lowered(v any) any {
	switch v := v.(type) {
	case string:
		return string(bytes.ToLower([]byte(v)))
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = lowered(e)
		}
		return list
	case map[string]any:
		of := map[string]any{}
		for name, e := range v {
			of[name] = lowered(e)
		}
		return of
	}
	return v
}
