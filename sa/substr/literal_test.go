package substr

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEditLiteral(t *testing.T) {
	for _, c := range []struct {
		literal, mask string
		spans         []Span
		want          string
	}{
		{`"abcdef"`, "", []Span{{Start: 1, End: 3}}, `"adef"`},
		{`"abcdef"`, "[]", []Span{{Start: 0, End: 2}, {Start: 4, End: 6}}, `"[]cd[]"`},
		{`"abcdef"`, "\"\\\n", []Span{{Start: 0, End: 6}}, `"\"\\\u000a"`},
		{`"a\n\u00e9\/b"`, "", []Span{{Start: 1, End: 2}}, `"a\u00e9\/b"`},
		{`"a\n\u00e9\/b"`, "", []Span{{Start: 2, End: 4}}, `"a\n\/b"`},
		{`"x\ud83d\ude00y"`, "", []Span{{Start: 1, End: 5}}, `"xy"`},
		{`"x\uD83D\uDE00y"`, "", []Span{{Start: 0, End: 1}}, `"\uD83D\uDE00y"`},
		{`"\ud83dcut\ude00"`, "", []Span{{Start: 3, End: 6}}, `"\ufffd\ude00"`},
		{`"\\ud83dcut\ude00"`, "", []Span{{Start: 6, End: 9}}, `"\\ud83d\ude00"`},
		{`""`, "m", nil, `""`},
	} {
		got, err := EditLiteral([]byte("…"), []byte(c.literal), c.spans, []byte(c.mask))
		if err != nil || string(got) != "…"+c.want {
			t.Errorf("EditLiteral(%s, %v) = %s, %v, want %s", c.literal, c.spans, got, err, c.want)
		}
	}
}

func TestEditLiteralRefuses(t *testing.T) {
	for literal, spans := range map[string][]Span{
		``:          nil,
		`"`:         nil,
		`abc`:       nil,
		`"a"b"`:     nil,
		"\"a\nb\"":  nil,
		`"\"`:       nil,
		`"\x"`:      nil,
		`"\u12"`:    nil,
		`"\u+123"`:  nil,
		`"\u00e9"`:  {{Start: 1, End: 2}},
		`"\u00e9x"`: {{Start: 0, End: 1}},
		`"abc"`:     {{Start: 1, End: 4}},
	} {
		if got, err := EditLiteral(nil, []byte(literal), spans, nil); err == nil {
			t.Errorf("EditLiteral(%s, %v) = %s, want an error", literal, spans, got)
		}
	}
}

// checkEdit holds EditLiteral against encoding/json: editing the literal and decoding is decoding
// and editing the text.
func checkEdit(t interface{ Fatalf(string, ...any) }, literal []byte, cuts []int, mask []byte) {
	var text string
	isString := bytes.HasPrefix(literal, []byte{'"'}) && bytes.HasSuffix(literal, []byte{'"'})
	if !isString || json.Unmarshal(literal, &text) != nil || !utf8.Valid(literal) || !utf8.Valid(mask) {
		return
	}
	own, err := Unquote(nil, literal)
	if err != nil || string(own) != text {
		t.Fatalf("Unquote(%s) = %q, %v, want %q", literal, own, err, text)
	}
	spans := spansAt(own, cuts)
	edited, err := EditLiteral(nil, literal, spans, mask)
	if err != nil {
		t.Fatalf("EditLiteral(%s, %v): %v", literal, spans, err)
	}
	var got string
	if err := json.Unmarshal(edited, &got); err != nil {
		t.Fatalf("EditLiteral(%s, %v) = %s: %v", literal, spans, edited, err)
	}
	if want := Mask(nil, own, spans, mask); got != string(want) {
		t.Fatalf("EditLiteral(%s, %v) = %s, which is %q, want %q", literal, spans, edited, got, want)
	}
	if len(spans) == 0 && !bytes.Equal(edited, literal) {
		t.Fatalf("EditLiteral(%s) without spans = %s", literal, edited)
	}
}

// spansAt makes spans of offsets, moved to where characters begin.
func spansAt(text []byte, cuts []int) (spans []Span) {
	last := 0
	for i := 0; i+1 < len(cuts); i += 2 {
		start := min(last+cuts[i], len(text))
		end := min(start+cuts[i+1], len(text))
		if start, end = (Options{}).shrink(text, start, end); start < end {
			spans = append(spans, Span{Start: start, End: end})
			last = end + 1
		}
	}
	return spans
}

func TestEditLiteralAgainstEncodingJSON(t *testing.T) {
	pieces := []string{`a`, ` `, `\n`, `\"`, `\\`, `\/`, `\u00e9`, `\u0000`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\uDE00`, `é`, `日`, `😀`, `u`}
	rapid.Check(t, func(t *rapid.T) {
		literal := `"`
		for range rapid.IntRange(0, 20).Draw(t, "pieces") {
			literal += rapid.SampledFrom(pieces).Draw(t, "piece")
		}
		cuts := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 6).Draw(t, "cuts")
		mask := rapid.SampledFrom([]string{"", "…", "\"\t\\"}).Draw(t, "mask")
		checkEdit(t, []byte(literal+`"`), cuts, []byte(mask))
	})
}

func FuzzEditLiteral(f *testing.F) {
	f.Add([]byte(`"a\ud83d\ude00\n"`), uint8(1), uint8(4), []byte("…"))
	f.Add([]byte(`"\ud83dcut\ude00"`), uint8(3), uint8(3), []byte(nil))
	f.Fuzz(func(t *testing.T, literal []byte, from, length uint8, mask []byte) {
		_, err := Unquote(nil, literal) // must not panic on anything
		if err == nil && utf8.Valid(literal) && !json.Valid(literal) {
			t.Fatalf("Unquote accepts %q", literal)
		}
		checkEdit(t, literal, []int{int(from), int(length)}, mask)
	})
}

func TestReport(t *testing.T) {
	r := Report{Record: 7, Field: "te\"xt", Offset: 1, Length: 2, First: Location{Record: 3, Field: "title", Offset: 4}}
	want := `{"record":7,"field":"te\"xt","offset":1,"length":2,"first":{"record":3,"field":"title","offset":4}}` + "\n"
	if got := string(r.AppendJSON(nil)); got != want {
		t.Errorf("report is %s, want %s", got, want)
	}
}
