package memory

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// TestNotesAreReadAsJSON checks that a note of names is parsed as encoding/json does it.
func TestNotesAreReadAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		written := nameNote{Records: rapid.Uint64().Draw(t, "records")}
		for range rapid.IntRange(0, 3).Draw(t, "inputs") {
			name := rapid.OneOf(rapid.String(), rapid.Just(`a,"ids":[1]}`)).Draw(t, "name")
			written.Inputs = append(written.Inputs, namedInput{name, 1, rapid.Uint64().Draw(t, "at")})
		}
		for range rapid.IntRange(0, 5).Draw(t, "ids") {
			id := rapid.OneOf(
				rapid.SampledFrom([]string{"null", "0", "7", "-1.5e3", `""`, `"a,b"`, `"]}"`, `"\""`, `"\\"`, `[1,["]"]]`,
					`{"a":{"ids":[1,2]},"b":"}"}`}),
				rapid.Map(rapid.String(), func(s string) string {
					text, err := json.Marshal(s)
					if err != nil {
						t.Fatal(err)
					}
					return string(text)
				}),
			).Draw(t, "id")
			written.IDs = append(written.IDs, json.RawMessage(id))
		}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		var want nameNote
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if got, err := readNote(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v, %v", text, got, err)
		}
	})
}

// FuzzReadNote checks that any note is either rejected or has ids that are valid JSON.
func FuzzReadNote(f *testing.F) {
	for _, s := range []string{
		`{"records":2,"inputs":[{"name":"a","first":1,"at":1}],"ids":["a",7]}`, `{"records":1,"ids":[]}`, `{"records":1}`,
		`{"records":1,"ids":[,]}`, `{"records":1,"ids":["a]}`, `{"records":1,"ids":["\x"]}`, `{"records":1,"ids":[01]}`,
		`{"records":3,"ids":[null,{"a":[1,2]},"\""]}`, `{"a":1,"ids":[1],"ids":[2]}`, `,"ids":[1]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		note, err := readNote(text)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		for _, id := range note.IDs {
			if !json.Valid(id) {
				t.Fatalf("%q", id)
			}
		}
	})
}
