package record

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// TestHalfPairs counts what encoding/json makes U+FFFD of.
func TestHalfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"a", `\\`, `\"`, `\n`, `\ud83d`, `\uDE00`, `\u00e9`, "é", "u", "d83d", `\ud83d\ude00`, `\u005c`,
		})).Draw(t, "parts")
		text := strings.Join(parts, "")
		var decoded string
		if json.Unmarshal([]byte(`"`+text+`"`), &decoded) != nil {
			t.Skip("no string")
		}
		count, first := halfPairs([]byte(text))
		if want := strings.Count(decoded, "\uFFFD"); count != want {
			t.Fatalf("%s: %d, want %d", text, count, want)
		}
		if count == 0 != (first < 0) || count > 0 && !utf16.IsSurrogate(escaped([]byte(text[first:]))) {
			t.Fatalf("%s: the first at %d", text, first)
		}
	})
}
