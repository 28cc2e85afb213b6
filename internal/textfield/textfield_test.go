package textfield

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		want    string
		records []string
	}{
		{"text", []string{`{"id":"a much longer identifier than the text is","text":"short"}`}},
		{"content", []string{`{"url":"https://example.org/some/path","content":"a b"}`, `{"content":"c"}`}},
		{"text? content", []string{`{"text":"only one of three","content":"x"}`, `{"content":"y"}`, `{"content":"z"}`}},
		{"messages[role!=system|developer]" + notTextBraces, []string{
			`{"messages":[{"role":"user","content":"hi"},{"role":"bot","content":"ho"}]}`}},
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
		found, all := Find(records, false)
		if got := strings.Join(found.Paths, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.records, got, c.want)
		}
		for _, f := range all {
			if _, err := record.ParseField(f.Path); err != nil {
				t.Errorf("%q: %v", f.Path, err)
			}
		}
	}
}

// TestPathsLeadBack: a path that is found leads to the string.
func TestPathsLeadBack(t *testing.T) {
	for _, key := range []string{"a", "a.b", `a\b`, "*", "a[]", "[]", "/a", "a?", "?", "a[b=c]", "a{-b}", "{-b}",
		"a/b", "ä ö", "0"} {
		object := []byte(fmt.Sprintf(`{"x":1,%q:"one two three four"}`, key))
		found, _ := Find([][]byte{object}, false)
		path := strings.Join(found.Paths, " ")
		field, err := record.ParseField(path)
		if err != nil {
			t.Fatalf("%q: %v", key, err)
		}
		literals, err := record.NewLiterals(record.JSONLines([]record.Field{field})).
			Append(nil, object, nil)
		if err != nil || len(literals) != 1 {
			t.Errorf("%q is found as %q, which is %d strings: %v", key, path, len(literals), err)
		}
	}
}

// TestConversations: the text of a conversation is what is said in it, whoever has written it down:
// another answer or another call is another text, and another system prompt is not.
func TestConversations(t *testing.T) {
	for name, c := range map[string]struct {
		a, b      string // two conversations that differ
		same      string // one that is the first one, apart from what tells nothing
		leavesOut string
	}{
		"OpenAI": {
			a: `{"messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]}`,
			b: `{"messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"},{"role":"assistant","content":"B"}]}`,
			same: `{"messages":[{"role":"developer","content":"T"},{"role":"user","content":[{"type":"text","text":"Q"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"A"}]}]}`,
			leavesOut: "messages[role=system|developer]",
		},
		"tools": {
			a: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":null,"tool_calls":[{"id":"1",` +
				`"type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"1","content":"R"}]}`,
			b: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":null,"tool_calls":[{"id":"1",` +
				`"type":"function","function":{"name":"f","arguments":"{\"x\":2}"}}]},{"role":"tool","tool_call_id":"1","content":"R"}]}`,
			same: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":null,"tool_calls":[{"id":"7",` +
				`"type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},{"role":"tool","tool_call_id":"7","content":"R"}]}`,
		},
		"Anthropic": {
			a: `{"system":"S","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[{"type":"text","text":"A"},` +
				`{"type":"tool_use","id":"t1","name":"f","input":{"city":"Oslo"}}]}]}`,
			b: `{"system":"S","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[{"type":"text","text":"A"},` +
				`{"type":"tool_use","id":"t1","name":"f","input":{"city":"Bergen"}}]}]}`,
			same: `{"system":[{"type":"text","text":"T"}],"messages":[{"role":"user","content":[{"type":"text","text":"Q"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"tool_use","id":"t2","name":"f","input":{"city":"Oslo"}}]}]}`,
			leavesOut: "system",
		},
		"Gemini": {
			a: `{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"Q"}]},` +
				`{"role":"model","parts":[{"text":"A"}]}]}`,
			b: `{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"Q"}]},` +
				`{"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":"y"}}}]}]}`,
			same: `{"systemInstruction":{"parts":[{"text":"T"}]},"contents":[{"role":"user","parts":[{"text":"Q"}]},` +
				`{"role":"model","parts":[{"text":"A"}]}]}`,
			leavesOut: "systemInstruction",
		},
		"ShareGPT": {
			a:         `{"id":"x","conversations":[{"from":"system","value":"S"},{"from":"human","value":"Q"},{"from":"gpt","value":"A"}]}`,
			b:         `{"id":"x","conversations":[{"from":"system","value":"S"},{"from":"human","value":"Q"},{"from":"gpt","value":"B"}]}`,
			same:      `{"id":"y","conversations":[{"from":"system","value":"T"},{"from":"human","value":"Q"},{"from":"gpt","value":"A"}]}`,
			leavesOut: "conversations[from=system|developer]",
		},
		"Alpaca": {
			a:    `{"instruction":"Do it","input":null,"output":"Done"}`,
			b:    `{"instruction":"Do it","input":"now","output":"Done"}`,
			same: `{"output":"Done","instruction":"Do it"}`,
		},
		"pairs": {
			a: `{"prompt":"Q","completion":"A"}`, b: `{"prompt":"Q","completion":"B"}`,
			same: `{"completion":"A","prompt":"Q"}`,
		},
		"batch": {
			a:    `{"custom_id":"1","body":{"model":"m","messages":[{"role":"user","content":"Q"}]}}`,
			b:    `{"custom_id":"1","body":{"model":"m","messages":[{"role":"user","content":"R"}]}}`,
			same: `{"custom_id":"2","body":{"model":"m","messages":[{"role":"user","content":"Q"}]}}`,
		},
		"log of an agent": {
			a:    `{"type":"user","message":{"role":"x","content":"Q"}}`,
			b:    `{"type":"user","message":{"role":"x","content":[{"type":"text","text":"R"}]}}`,
			same: `{"type":"assistant","message":{"role":"y","content":[{"type":"text","text":"Q"}]}}`,
		},
		"preferences": {
			a:    `{"chosen":[{"role":"user","content":"Q"}],"rejected":[{"role":"user","content":"A"}],"score":NaN}`,
			b:    `{"chosen":[{"role":"user","content":"Q"}],"rejected":[{"role":"user","content":"B"}]}`,
			same: `{"rejected":[{"role":"user","content":"A"}],"chosen":[{"role":"user","content":"Q"}]}`,
		},
	} {
		found, _ := Find([][]byte{[]byte(c.a), []byte(c.b), []byte(c.same)}, false)
		fields := make([]record.Field, len(found.Paths))
		for i, path := range found.Paths {
			var err error
			if fields[i], err = record.ParseField(path); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if len(fields) == 0 || found.LeavesOut != c.leavesOut {
			t.Errorf("%s: %q leave out %q, want %q", name, found.Paths, found.LeavesOut, c.leavesOut)
			continue
		}
		of := func(object string) string {
			text, _, problem := record.NewFieldText(fields, false).Text([]byte(object))
			if problem != (record.Problem{}) {
				t.Errorf("%s: %q of %s: %s", name, found.Paths, object, problem.Name())
			}
			return string(text)
		}
		if a, b, same := of(c.a), of(c.b), of(c.same); a == b || a != same {
			t.Errorf("%s by %q: %q, another one %q, the same %q", name, found.Paths, a, b, same)
		}
	}
}

// notTextBraces are what no conversation has as text.
var notTextBraces = braces(notText, calls)
