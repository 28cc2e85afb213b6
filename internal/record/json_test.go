package record

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bytedance/sonic"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

func textOf(t testing.TB, line string, paths ...string) (string, Kind) {
	t.Helper()
	text, p := newJSONText(fieldsOf(t, paths...)).Text([]byte(line))
	return string(text), p.kind
}

func TestTextOfRecord(t *testing.T) {
	for _, c := range []struct {
		line, path, want string
	}{
		{`{"text":"hello"}`, "text", "hello"},
		{` { "text" : "hello" } `, "text", "hello"},
		{"{\"text\":\"hello\"}\r", "text", "hello"},
		{`{"a":{"b":[{"c":"deep"},{"c":"deeper"}]}}`, "a.b.1.c", "deeper"},
		{`{"a.b":"dotted"}`, `a\.b`, "dotted"},
		{`{"a\\b":"slashed"}`, `a\\b`, "slashed"},
		{`{"0":"a name"}`, "0", "a name"},
		{`{"te\u0078t":"escaped name"}`, "text", "escaped name"},
		{`{"text":"first","text":"last"}`, "text", "last"},
		{`{"text":1,"text":"last"}`, "text", "last"},
		{`{"a":{"text":"no"},"b":["text"],"c":"\"text\":","text":"yes"}`, "text", "yes"},
		{`{"text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}`, "text", "\"\\/\b\f\n\r\té😀"},
		{`{"text":"\\"}`, "text", `\`},
		{`{"text":"lone \ud800 and \udc00."}`, "text", "lone \ufffd and \ufffd."},
		{`{"text":"nul \u0000"}`, "text", "nul \x00"},
		{"{\"text\":\"bad \xff byte\"}", "text", "bad \xff byte"},
		{`{"text":""}`, "text", ""},
	} {
		if got, k := textOf(t, c.line, c.path); k != KindReadable || got != c.want {
			t.Errorf("%s of %s: %q, %v; want %q", c.path, c.line, got, kindNames[k], c.want)
		}
	}
}

// Paths that lead to several places.
func TestSeveralPlacesAreJoined(t *testing.T) {
	const chat = `{"messages":[{"role":"user","content":"one"},{"content":null},{"x":1},{"content":"t\u0077o"}],"*":"star",` +
		`"a.b":{"c[]":"odd"},"turns":{"x":{"text":"left"},"y":{"text":"right"}},"/":"slash","":"no name"}`
	for _, c := range []struct{ line, path, want string }{
		{chat, "messages[].content", "one\ntwo"},
		{chat, "messages.*.content", "one\ntwo"},
		{chat, "turns.*.text", "left\nright"},
		{chat, "turns[].text", "left\nright"},
		{chat, "/messages/3/content", "two"},
		{chat, "/a.b/c[]", "odd"},
		{chat, `a\.b.c\[]`, "odd"},
		{chat, `\*`, "star"},
		{chat, "/*", "star"},
		{chat, "/~1", "slash"},
		{chat, "/", "no name"},
		{`{"a":[["x","y"],[],["z"]]}`, "a[][]", "x\ny\nz"},
		{`{"a":["","b"]}`, "a[]", "\nb"},
		{`{"a":["x"],"a":["y"]}`, "a[]", "y"},
		{`{"a":[{"t":"x","t":"y"},{"t":"z"}]}`, "a[].t", "y\nz"},
		{`{"a":[{"t":"x"},{"t":"y","t":"z"}]}`, "a[].t", "x\nz"},
		{`{"a":[{"b":["1","2"]},{"b":["3"],"b":["4"]}]}`, "a[].b[]", "1\n2\n4"},
	} {
		if got, k := textOf(t, c.line, c.path); k != KindReadable || got != c.want {
			t.Errorf("%s of %s: %q, %v; want %q", c.path, c.line, got, kindNames[k], c.want)
		}
	}
	if got, k := textOf(t, `{"t":"title","a":["x","y"]}`, "a[]", "t"); k != KindReadable || got != "x\ny\ntitle" {
		t.Errorf("beside another field: %q, %s", got, kindNames[k])
	}
	for line, want := range map[string]Kind{
		`{"a":[]}`: KindNoField, `{"a":[{"b":"x"}]}`: KindNoField, `{"a":[{"t":null}]}`: KindNull, `{"t":"x"}`: KindNoField,
	} {
		if _, k := textOf(t, line, "a[].t"); k != want {
			t.Errorf("%s: %s, want %s", line, kindNames[k], kindNames[want])
		}
	}
}

func TestSeveralFieldsAreJoined(t *testing.T) {
	got, k := textOf(t, `{"b":"two","a":"one"}`, "a", "b")
	if k != KindReadable || got != "one\ntwo" {
		t.Errorf("%q, %s", got, kindNames[k])
	}
}

func TestUnreadableRecords(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for line, want := range map[string]Kind{
		"":                                KindBlankLine,
		" \t\r":                           KindBlankLine,
		`{"text":"x"} y`:                  KindBadJSON,
		`{"text":"x"}{"text":"x"}`:        KindBadJSON,
		`{"text":"x"`:                     KindBadJSON,
		`{"text":"x",}`:                   KindBadJSON,
		`{"text":"x" "a":1}`:              KindBadJSON,
		`{'text':'x'}`:                    KindBadJSON,
		`{text:"x"}`:                      KindBadJSON,
		`{"text":"x","a":01}`:             KindBadJSON,
		`{"text":"x","a":1.}`:             KindBadJSON,
		`{"text":"x","a":.5}`:             KindBadJSON,
		`{"text":"x","a":+1}`:             KindBadJSON,
		`{"text":"x","a":NAN}`:            KindBadJSON,
		`{"text":"x","a":-NaN}`:           KindBadJSON,
		`{"text":"x","a":Infinit}`:        KindBadJSON,
		`{"text":"x","a":+Infinity}`:      KindBadJSON,
		`{"text":"x","a":tru}`:            KindBadJSON,
		`{"text":"x","a":"\x"}`:           KindBadJSON,
		`{"text":"x","a":"\u12g4"}`:       KindBadJSON,
		`{"text":"x","a":"\u12"}`:         KindBadJSON,
		`{"text":"x","a":"\"}`:            KindBadJSON,
		"{\"text\":\"x\",\"a\":\"\t\"}":   KindBadJSON,
		"{\"text\":\"x\",\"a\":\"\x00\"}": KindBadJSON,
		"{\"text\":\"a\x1fb\"}":           KindBadJSON,
		`{"text":"x","a":` + deep:         KindTooDeep,
		`{"text":"x","a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`: KindTooDeep,
		`{"text":"x"}//`:           KindBadJSON,
		`nul`:                      KindBadJSON,
		`null`:                     KindNotObject,
		`"text"`:                   KindNotObject,
		`["text"]`:                 KindNotObject,
		`12`:                       KindNotObject,
		`{}`:                       KindNoField,
		`{"TEXT":"x"}`:             KindNoField,
		`{"a":{"text":"x"}}`:       KindNoField,
		`{"text":null}`:            KindNull,
		`{"text":"x","text":null}`: KindNull,
	} {
		if _, k := textOf(t, line, "text"); k != want {
			t.Errorf("%.60q: %s, want %s", line, kindNames[k], kindNames[want])
		}
	}
}

func TestFieldPaths(t *testing.T) {
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "[]", "[].a", "a[]b", "a.[]"} {
		if _, err := ParseField(bad); err == nil {
			t.Errorf("%q was taken for a field", bad)
		}
	}
	for _, line := range []string{`{"a":["x"]}`, `{"a":[]}`} {
		for _, path := range []string{"a.1", "a.00", "a.-1", "a.b", "a.0.c"} {
			if _, k := textOf(t, line, path); k != KindNoField {
				t.Errorf("%s of %s: %s", path, line, kindNames[k])
			}
		}
	}
}

// FuzzRecord compares what is accepted, and the texts, with encoding/json.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a\u00e9\ud83d\ude00\n","a":[1,-2.5e+3,true,false,null,{"text":"b"}]}`, `{"text":"x","te\u0078t":"y"}`,
		`{"text":"\ud800"}`, "{\"text\":\"\xff\xc3\"}", `{"a":{"a":{"text":[]}},"text":"\\\""}`, " {\"text\"\t:\r\"x\"} ", `{"text":"x"}}`,
		`{"text":"\ud83d\ud83d\ude00\ud83dx\n"}`, `{"a":["x\ty",{"text":"no"}],"text":"0"}`, `{"a":{"0":"x","text":"y"},"a":{"text":"z"}}`,
		`{"text":"` + strings.Repeat(`one line of a text\n`, 20) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	paths := []string{"text", "a.text", "a.0", "a"}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 || nesting(line) > 1000 {
			t.Skip("not a line, or deeper than either parser promises to go")
		}
		if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) ||
			bytes.HasPrefix(line, bom) {
			t.Skip("encoding/json does not take what Python writes, and no byte order mark")
		}
		all := newJSONScanner(fieldsOf(t, paths...), len(paths)) // finds several at once
		for i, path := range paths {
			got, p := newJSONText(fieldsOf(t, path)).Text(bytes.Clone(line))
			want, k := reference(line, all.wants[i].steps)
			if p.kind != k {
				t.Fatalf("%q: %s, encoding/json says %s of %s", line, kindNames[p.kind], kindNames[k], path)
			}
			if k == KindReadable && string([]rune(string(got))) != want {
				t.Fatalf("%q: text %q, encoding/json says %q of %s", line, got, want, path)
			}
			w := all.wants[i]
			if k == KindReadable &&
				(all.scan(line).kind != KindReadable || line[w.start] == '"' && !bytes.Equal(w.text, got)) {
				t.Fatalf("%q: text %q among others, %q alone, of %s", line, all.wants[i].text, got, path)
			}
		}
	})
}

// reference reads the text that steps lead to with encoding/json.
func reference(line []byte, steps []step) (string, Kind) {
	if len(bytes.TrimLeft(line, " \t\r")) == 0 {
		return "", KindBlankLine
	}
	if !json.Valid(line) {
		return "", KindBadJSON
	}
	if bytes.TrimLeft(line, " \t\r")[0] != '{' {
		return "", KindNotObject
	}
	value := json.RawMessage(line)
	for _, s := range steps {
		var members map[string]json.RawMessage
		var elements []json.RawMessage
		ok := false
		if json.Unmarshal(value, &members) == nil {
			value, ok = members[s.key]
		} else if json.Unmarshal(value, &elements) == nil && s.index >= 0 && s.index < len(elements) {
			value, ok = elements[s.index], true
		}
		if !ok {
			return "", KindNoField
		}
	}
	if value[0] == 'n' {
		return "", KindNull
	}
	if value[0] != '"' && value[0] != '{' && value[0] != '[' {
		return string(value), KindReadable
	}
	return strings.Join(stringsIn(value), "\n"), KindReadable
}

// stringsIn are all strings in a value, in their order, by encoding/json.
func stringsIn(value json.RawMessage) (list []string) {
	var text string
	var elements []json.RawMessage
	var bytes8 []uint8
	d := json.NewDecoder(bytes.NewReader(value))
	switch {
	case value[0] == '"':
		_ = json.Unmarshal(value, &text)
		return []string{text}
	case value[0] == '[':
		var numbers []uint8Number
		if json.Unmarshal(value, &numbers) == nil && len(numbers) > 0 {
			for _, n := range numbers {
				bytes8 = append(bytes8, uint8(n))
			}
			return []string{string(bytes8)}
		}
		_ = json.Unmarshal(value, &elements)
		for _, e := range elements {
			list = append(list, stringsIn(e)...)
		}
	case value[0] == '{':
		_, _ = d.Token()
		for d.More() {
			var member json.RawMessage
			_, _ = d.Token() // its name
			_ = d.Decode(&member)
			list = append(list, stringsIn(member)...)
		}
	}
	return list
}

// A uint8Number is a number from 0 to 255 without sign, fraction and exponent.
type uint8Number uint8

func (n *uint8Number) UnmarshalJSON(literal []byte) error {
	value, err := strconv.ParseUint(string(literal), 10, 8)
	*n = uint8Number(value)
	return err
}

func nesting(line []byte) int {
	return bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
}

func TestUnquoteKeepsBytesThatAreNotUTF8(t *testing.T) {
	raw := "\xff\xfe\xed\xa0\x80 ok"
	for _, escape := range []string{"", `\n`} {
		var scratch []byte
		got, end := jsontext.Unquote(&scratch, []byte(`"`+raw+escape+`"`), 0)
		if end != len(raw)+len(escape)+2 || !bytes.HasPrefix(got, []byte(raw)) || utf8.Valid(got) {
			t.Errorf("%q, %d", got, end)
		}
	}
}

func BenchmarkTextOfRecord(b *testing.B) {
	lines := make([][]byte, 2000)
	size := 0
	for i := range lines {
		text := strings.Repeat("A line of some forty characters, \"quoted\".\n", 40+i%20)
		lines[i] = []byte(`{"id":` + strconv.Itoa(i) + `,"url":"http://example.org/","text":` + strconv.Quote(text) + `}`)
		size += len(lines[i])
	}
	b.Run("scan", func(b *testing.B) {
		j := newJSONText(fieldsOf(b, "text"))
		b.SetBytes(int64(size / len(lines)))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			j.Text(lines[i%len(lines)])
		}
	})
	for _, peer := range []struct {
		name      string
		unmarshal func([]byte, any) error
	}{{"encoding-json", json.Unmarshal}, {"sonic", sonic.Unmarshal}, {"sonic-std", sonic.ConfigStd.Unmarshal}} {
		b.Run(peer.name, func(b *testing.B) {
			b.SetBytes(int64(size / len(lines)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				var v struct{ Text string }
				if err := peer.unmarshal(lines[i%len(lines)], &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestPathsAgreeWithTrees compares with the same search in the tree that encoding/json makes.
func TestPathsAgreeWithTrees(t *testing.T) {
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.SampledFrom([]any{"x", "y\"\n", "", 1.5, nil, true})
		if depth == 0 {
			return leaf
		}
		inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
		return rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(inner, 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "0"}), inner, 0, 3),
				func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		root := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "0"}), value(3), 0, 3).Draw(t, "record")
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "0", "1", "*"}), 1, 4).Draw(t, "path")
		line, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		isThere := false
		walk(root, path, func(found any) {
			if found == nil {
				return
			}
			isThere = true
			literal, _ := json.Marshal(found)
			switch found.(type) {
			case float64, bool:
				want = append(want, string(literal))
			default:
				want = append(want, stringsIn(literal)...)
			}
		})
		field, err := ParseField(strings.Join(path, "."))
		if err != nil {
			t.Fatal(err)
		}
		text, p := newJSONText([]Field{field}).Text(line)
		if (p.kind == KindReadable) != isThere || string(text) != strings.Join(want, "\n") {
			t.Fatalf("%s of %s: %q, %v; want %q", field, line, text, kindNames[p.kind], want)
		}
	})
}

// walk finds what a path leads to, in the order of encoding/json.
func walk(v any, path []string, found func(any)) {
	if len(path) == 0 {
		found(v)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if path[0] == "*" || path[0] == key {
				walk(v[key], path[1:], found)
			}
		}
	case []any:
		for i, element := range v {
			if path[0] == "*" || path[0] == strconv.Itoa(i) {
				walk(element, path[1:], found)
			}
		}
	}
}

func fieldsOf(t testing.TB, paths ...string) []Field {
	t.Helper()
	fields := make([]Field, len(paths))
	for i, p := range paths {
		var err error
		if fields[i], err = ParseField(p); err != nil {
			t.Fatal(err)
		}
	}
	return fields
}
