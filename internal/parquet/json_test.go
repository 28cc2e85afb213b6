package parquet

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// What a column of JSON has stands in a row as it is, on one line; what is no JSON is a string.
func TestColumnsOfJSON(t *testing.T) {
	for value, want := range map[string]string{
		`{"a": [1, 2.50]}`:        `{"a": [1, 2.50]}`,
		`"text"`:                  `"text"`,
		`null`:                    `null`,
		"{\n \"a\": \"b c\"\r\n}": `{"a":"b c"}`,
		``:                        `""`,
		`{"a":1} x`:               `"{\"a\":1} x"`,
		`01`:                      `"01"`,
		"\"\xff\"":                `"\"` + "\xff" + `\""`, // of which the row is asked as a whole
	} {
		if got := string(jsontext.AppendEmbedded([]byte("before "), []byte(value))); got != "before "+want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringOf(rapid.SampledFrom([]rune("{}[]\":, \n\r\t01.eE-tréabc\\ufls"))).Draw(rt, "value")
		got := jsontext.AppendEmbedded(nil, []byte(value))
		if !json.Valid(got) || bytes.ContainsAny(got, "\n\r") {
			rt.Fatalf("%q: %s", value, got)
		}
		if json.Valid([]byte(value)) && !strings.ContainsAny(value, "\n\r") && string(got) != value {
			rt.Fatalf("%q became %s", value, got)
		}
	})
}
