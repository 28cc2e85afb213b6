package textfield

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/stream"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		want    string
		records []string
	}{
		{"text", []string{`{"id":"a much longer identifier than the text is","text":"short"}`}},
		{"content", []string{`{"url":"https://example.org/some/path","content":"a b"}`, `{"content":"c"}`}},
		{"content", []string{`{"text":"only one of three","content":"x"}`, `{"content":"y"}`, `{"content":"z"}`}},
		{"messages[].content", []string{`{"messages":[{"role":"user","content":"hi"},{"role":"bot","content":"ho"}]}`}},
		{"meta.abstract", []string{`{"meta":{"abstract":"some words that say a lot"},"url":"https://example.org/long/long/long"}`}},
		{"turns[].says", []string{`{"turns":[{"says":"one two three"},{"says":"four five six"}],"id":"0123456789abcdef"}`}},
		{`a\.b`, []string{`{"a.b":"words with spaces between","c":1}`}},
		{"汉字", []string{fmt.Sprintf(`{"汉字":%q,"url":"https://example.org/"}`, strings.Repeat("河水从山北面", 12))}},
		{"", []string{fmt.Sprintf(`{"image":%q}`, strings.Repeat("iVBORw0KGgo", 40))}},
		{"", []string{`{"url":"https://example.org/","n":3}`, `{"url":"https://example.com/"}`}},
		{"", []string{`[1]`, `{`, ``}},
		{"", nil},
	} {
		var records [][]byte
		for _, r := range c.records {
			records = append(records, []byte(r))
		}
		got, all := Find(records)
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.records, got, c.want)
		}
		for _, f := range all {
			if _, err := stream.ParseField(f.Path); err != nil {
				t.Errorf("%q: %v", f.Path, err)
			}
		}
	}
}

// TestPathsLeadBack: a path that is found leads to the string.
func TestPathsLeadBack(t *testing.T) {
	for _, key := range []string{"a", "a.b", `a\b`, "*", "a[]", "[]", "/a", "a/b", "ä ö", "0"} {
		record := []byte(fmt.Sprintf(`{"x":1,%q:"one two three four"}`, key))
		path, _ := Find([][]byte{record})
		field, err := stream.ParseField(path)
		if err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		literals, err := stream.NewLiterals(stream.JSONLines([]stream.Field{field})).
			Append(nil, stream.Editable{Body: record})
		if err != nil || len(literals) != 1 {
			t.Errorf("%q is found as %q, which is %d strings: %v", key, path, len(literals), err)
		}
	}
}
