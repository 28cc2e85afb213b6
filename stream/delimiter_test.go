package stream

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRawTabs is that each line of TSV is one row, whatever quotes are in it, and that the text in
// it is what stands between its tabs.
func TestRawTabs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\",;|\\ ü")), 0, 12, -1)
		texts := rapid.SliceOfN(text, 0, 20).Draw(rt, "texts")
		d := document{name: "tsv", format: TSV(true, []string{"text"}), lead: "\"id\ttext\t\"\n"}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "line end")
		for _, text := range texts {
			d.records = append(d.records, "\"\t"+text+"\t\"\""+end)
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(rt, "read sizes")
		out, flags, _, stats := formatRun(rt, d, 1<<20, sizes, nil)
		if stats.Records != uint64(len(texts)) || stats.Rejects.Total() != 0 || out != d.output(flags) {
			rt.Fatalf("%+v, flags %q: %q of %q", stats, flags, out, d.input())
		}
		out, flags, _, _ = formatRun(rt, d, 1<<20, sizes, func(o *Options) { o.Convert, o.OnError = true, ErrorDivert })
		lines := strings.Split(out, "\n")
		for i, flag := range strings.Fields(flags) {
			if flag == "0" {
				continue
			}
			var record map[string]string
			err := json.Unmarshal([]byte(lines[0]), &record)
			if err != nil || record["text"] != texts[i] || record["\"id"] != "\"" {
				rt.Fatalf("%q, %v; want %q", lines[0], err, texts[i])
			}
			lines = lines[1:]
		}
	})
}

// TestDelimiterOfAHeader is what a header says about the delimiter, in reads of any size.
func TestDelimiterOfAHeader(t *testing.T) {
	for _, c := range []struct {
		header string
		want   byte
	}{
		{"id;text", ';'},
		{"id|text", '|'},
		{"id\ttext", '\t'},
		{"\xef\xbb\xbfid;text;x y", ';'},
		{"\"a,b\";text", ';'},
		{"\"a\nb, \"\"c|d\";text", ';'},
		{"id,text;x", ','},
		{"id;text|x", ','},
		{"text", ','},
		{"\"id;text\"", ','},
		{"a \"b;c", ';'},
		{"", ','},
	} {
		for n := range len(c.header) {
			if d, ok := guessDelimiter([]byte(c.header[:n]), false); ok {
				t.Errorf("%q: %q after %d bytes", c.header, d, n)
			}
		}
		for _, input := range []string{c.header + "\n", c.header + "\nx,y|z;\t\n"} {
			if d, ok := guessDelimiter([]byte(input), false); d != c.want || !ok {
				t.Errorf("%q: %q, %v, want %q", input, d, ok, c.want)
			}
		}
		if d, ok := guessDelimiter([]byte(c.header), true); d != c.want || !ok {
			t.Errorf("%q without an end: %q, %v, want %q", c.header, d, ok, c.want)
		}
	}
	long := bytes.Repeat([]byte("x"), headSize)
	if d, ok := guessDelimiter(append(long, ';'), false); d != ',' || !ok {
		t.Errorf("a header that does not end: %q, %v", d, ok)
	}
}

// guessDelimiter is the delimiter that a header says.
func guessDelimiter(buf []byte, all bool) (delimiter byte, ok bool) {
	d, ok := dialect{}.completed(buf, all)
	return d.comma, ok
}
