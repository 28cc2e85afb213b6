package stream

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A document is a set of texts written in some format, with what an output of it looks like.
type document struct {
	name          string
	format        Format
	lead, between string // before and between the records of the input
	tail          string
	records       []string
}

func (d document) input() string { return d.lead + strings.Join(d.records, d.between) + d.tail }

// output is what a run writes that keeps the records whose flag is 1.
func (d document) output(flags string) string {
	var kept []string
	for i, flag := range strings.Fields(flags) {
		if flag == "1" {
			kept = append(kept, d.records[i])
		}
	}
	f := d.format.Frame()
	header := d.lead
	if f.Open != "" {
		header = ""
	}
	return f.Open + header + strings.Join(kept, f.Between) + f.Close
}

// documents writes the same texts in all formats.
func documents(t *rapid.T, texts []string) []document {
	fields, err := ParseField("text")
	if err != nil {
		t.Fatal(err)
	}
	var lines, elements, rows, tabs, semicolons, somes, pieces []string
	some := rapid.SampledFrom([]rune{',', ';', '|', '\t'}).Draw(t, "delimiter")
	crlf := rapid.Bool().Draw(t, "crlf")
	for i, text := range texts {
		object, _ := json.Marshal(map[string]any{"id": i, "text": text, "more": []any{"]", map[string]any{"}": `\"`}}})
		lines = append(lines, string(object)+"\n")
		var indented bytes.Buffer
		json.Indent(&indented, object, "", " ")
		elements = append(elements, indented.String())
		rows = append(rows, row(',', crlf, fmt.Sprint(i), text, `a "b", c`))
		tabs = append(tabs, row('\t', crlf, fmt.Sprint(i), text, ""))
		semicolons = append(semicolons, row(';', crlf, fmt.Sprint(i), text, "a,b"))
		somes = append(somes, row(some, crlf, fmt.Sprint(i), text, "a,b;c|d"))
		pieces = append(pieces, text+"\n@@\n")
	}
	tail := rapid.SampledFrom([]string{"]", " ]\n", "\n\n]  \n"}).Draw(t, "tail")
	return []document{
		{"jsonl", JSONLines([]Field{fields}), "", "", "", lines},
		{"json", JSONArray([]Field{fields}), rapid.SampledFrom([]string{"[", "\xef\xbb\xbf[", " [\n"}).Draw(t, "lead"),
			" ,\n", tail, elements},
		{"csv", CSV(',', true, []string{"text"}), rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "mark") +
			row(',', crlf, "id", "text", `the "rest"`), "", "", rows},
		{"csv by number", CSV(',', true, []string{"2"}), row(',', crlf, "1", "t\nt", "3"), "", "", rows},
		{"csv without header", CSV(',', false, []string{"2"}), "", "", "", rows},
		{"tsv with quotes", CSV('\t', true, []string{"text"}), row('\t', crlf, "id", "text", "x"), "", "", tabs},
		{"csv with semicolons", CSV(';', true, []string{"text"}), row(';', crlf, "id", "text", "x"), "", "",
			semicolons},
		{"csv of some delimiter", CSV(0, true, []string{"text"}), row(some, crlf, "id", "text", `the "rest"`), "", "", somes},
		{"text", Text("\n@@\n"), "", "", "", pieces},
	}
}

// row is what an independent implementation writes.
func row(comma rune, crlf bool, fields ...string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = comma, false
	w.Write(fields)
	w.Flush()
	if crlf {
		return strings.TrimSuffix(b.String(), "\n") + "\r\n"
	}
	return b.String()
}

// someTexts draws texts with everything in them that has a meaning in some format, and with
// near-duplicates.
func someTexts(t *rapid.T, longest int) []string {
	parts := []string{"ox", "elk", "hen", ",", "\"", "\"\"", "\n", "\t", "\r\n", "\\", "]", "}", "{\"text\":", "@@",
		"\n@", "ünï", "河水", " ", "a,b", "'"}
	texts := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 0, longest),
		func(p []string) string { return strings.Join(p, " ") }), 1, 8).Draw(t, "texts")
	var all []string
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(texts)-1), 0, 25).Draw(t, "order") {
		all = append(all, texts[n])
	}
	return all
}

// formatRun runs over one input in the given reads.
func formatRun(t *rapid.T, d document, maxRecord int, sizes []int,
	change func(*Options)) (out, flags, rejects string, stats Stats) {
	var o, f, r bytes.Buffer
	input := d.input()
	opts := testOptions(nopT{}, nil, &o)
	opts.Inputs = []Input{{Name: d.name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(&chunks{data: []byte(input), sizes: sizes}), nil
	}}}
	opts.Format, opts.MaxRecord, opts.Sinks, opts.Rejects = d.format, maxRecord, []Sink{Flags(&f)}, &r
	if change != nil {
		change(&opts)
	}
	stats, err := do(opts)
	if err != nil {
		t.Fatalf("%s: %v\n%q", d.name, err, input)
	}
	return o.String(), f.String(), r.String(), stats
}

// nopT is a testing.TB for what does not fail.
type nopT struct{ testing.TB }

func (nopT) Helper() {}

// TestFormatsAgree is that the same texts give the same verdicts in every format, and that what is
// kept leaves as it came (I1).
func TestFormatsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 30)
		sizes := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 4).Draw(rt, "read sizes")
		var want string
		for i, d := range documents(rt, texts) {
			out, flags, rejects, stats := formatRun(rt, d, 1<<20, sizes, nil)
			if i == 0 {
				want = flags
			}
			if flags != want {
				rt.Fatalf("%s: flags %q, want %q\n%q", d.name, flags, want, d.input())
			}
			if out != d.output(flags) {
				rt.Fatalf("%s:\n%q\nwant\n%q", d.name, out, d.output(flags))
			}
			if open := d.format.Frame().Open; stats.Rejects.Total() != 0 || open == "" && rejects != d.output("") {
				rt.Fatalf("%s: %+v, rejects %q", d.name, stats, rejects)
			}
		}
	})
}

// TestFormatsDoNotDependOnReads is I2, also where records are longer than max-record, or wrong, and
// where a run is resumed.
func TestFormatsDoNotDependOnReads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 40)
		for _, d := range documents(rt, texts) {
			for i := range d.records { // break some
				if rapid.IntRange(0, 9).Draw(rt, "break") == 0 && strings.HasPrefix(d.name, "csv") {
					d.records[i] = rapid.SampledFrom([]string{"\n", "\"x\"y,2,3\n", "only one\n", "1,2\"2\"2,3\n",
						"\r\n", "a,b,c,d\n"}).Draw(rt, "row")
				}
			}
			maxRecord := rapid.IntRange(10, 120).Draw(rt, "max-record")
			out, flags, rejects, final := formatRun(rt, d, maxRecord, []int{1 << 20}, nil)
			if len(strings.Fields(flags)) != len(d.records) {
				rt.Fatalf("%s: %d records, want %d\n%q", d.name, len(strings.Fields(flags)), len(d.records), d.input())
			}
			if out != d.output(flags) {
				rt.Fatalf("%s:\n%q\nwant\n%q", d.name, out, d.output(flags))
			}

			sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(rt, "read sizes")
			var taken []snapshot
			index := keySet{}
			out2, flags2, rejects2, stats := formatRun(rt, d, maxRecord, sizes, func(o *Options) {
				o.Method.Judge = byVotes(index, 1)
				o.Checkpoints = &Checkpoints{Records: 3, Commit: func(s Stats) error {
					taken = append(taken, snapshot{roundTrip(rt, s), maps.Clone(index)})
					return nil
				}}
			})
			if out != out2 || flags != flags2 || rejects != rejects2 || !reflect.DeepEqual(stats, final) {
				rt.Fatalf("%s, by reads of %v:\n%q\n%+v\nwant\n%q\n%+v", d.name, sizes, out2, stats, out, final)
			}
			for _, s := range append(taken, snapshot{final, index}) {
				rest, _, _, stats := formatRun(rt, d, maxRecord, sizes,
					func(o *Options) { o.Method.Judge, o.From = byVotes(s.index, 1), s.stats })
				if whole := out[:s.stats.Written.Output] + rest; whole != out || !reflect.DeepEqual(stats, final) {
					rt.Fatalf("%s, resumed after %d records:\n%q\n%+v\nwant\n%q\n%+v", d.name, s.stats.Records, whole,
						stats, out, final)
				}
			}
		}
	})
}

// TestConversion is that a converted record holds the same text, whatever the format was.
func TestConversion(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		texts := someTexts(rt, 20)
		for _, d := range documents(rt, texts)[:3] {
			out, flags, _, _ := formatRun(rt, d, 1<<20, []int{100},
				func(o *Options) { o.Convert, o.OnError = true, ErrorDivert })
			lines := strings.SplitAfter(out, "\n")
			for i, flag := range strings.Fields(flags) {
				if flag == "0" {
					continue
				}
				var record struct{ Text string }
				if err := json.Unmarshal([]byte(lines[0]), &record); err != nil || record.Text != texts[i] {
					rt.Fatalf("%s: %q, %v; want %q", d.name, lines[0], err, texts[i])
				}
				lines = lines[1:]
			}
		}
	})
}

func TestArraysThatCannotBeFollowed(t *testing.T) {
	for _, c := range []struct{ input, kept, want string }{
		{``, ``, "the array is not closed"},
		{`"one"`, ``, "it does not begin with [, as one JSON array would: is it JSON Lines (--format jsonl)?"},
		{`{"text":"one"} 2`, `{"text":"one"}`, "after element 1: something that is no object stands between its objects"},
		{`{"text":"one"} {"te`, `{"text":"one"}`, "after element 1: the input ends in the middle of an element"},
		{`[{"text":"one"},`, `{"text":"one"}`, "after element 1: the input ends before its array is closed"},
		{`[{"text":"one"} {"text":"two"}]`, `{"text":"one"}`, "after element 1: there is neither , nor ] after the element"},
		{`[{"text":"one"},,]`, `{"text":"one"}`, "after element 1: an element is missing"},
		{`[{"text":"one"},]`, `{"text":"one"}`, "after element 1: an element is missing"},
		{`[{"text":"one"}] [`, `{"text":"one"}`, "after element 1: something stands after the array"},
		{`[{"text":"one"},{"text":"tw`, `{"text":"one"}`, "after element 1: the input ends in the middle of an element"},
	} {
		var out bytes.Buffer
		opts := testOptions(t, strings.NewReader(c.input), &out)
		opts.Format = JSONArray(fieldsOf(t, "text"))
		_, err := do(opts)
		if err == nil || err.Error() != "read test: "+c.want {
			t.Errorf("%s: %v", c.input, err)
		}
		if got := strings.TrimPrefix(out.String(), "[\n"); got != c.kept {
			t.Errorf("%s: %q", c.input, got)
		}
	}
}

func TestElementsOfEverySort(t *testing.T) {
	const input = `[{"text":"one two"},1,"a]\"",null,[1,[2]],{"text":"One  two!"} , {"text":[}],{]`
	var out bytes.Buffer
	opts := testOptions(t, strings.NewReader(input), &out)
	opts.Format = JSONArray(fieldsOf(t, "text"))
	stats, err := do(opts)
	// what is no JSON is followed as far as its brackets go: {"text":[}] and then {]
	if err == nil || stats.Records != 8 || stats.Duplicates != 1 || stats.Rejects[record.KindNotObject] != 4 ||
		stats.Rejects[record.KindBadJSON] != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestHeaders(t *testing.T) {
	several := func(parts ...string) []Input {
		var inputs []Input
		for i, part := range parts {
			inputs = append(inputs, Input{Name: fmt.Sprint(i + 1),
				Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(part)), nil }})
		}
		return inputs
	}
	for _, c := range []struct {
		inputs     []Input
		out, error string
	}{
		{several("text\none two\n", "text\r\nthree four\n"), "text\none two\nthree four\n", ""},
		{several("text\n", "text"), "text\n", ""},
		{several("", "text\none two"), "text\none two\n", ""},
		{several("text\none two\n", "text,more\na,b\n"), "text\none two\n",
			"read 2: its header is not that of the first input: read it in a run of its own"},
		{several("id,body\n"), "", `read 1: there is no column "text": choose from id, body with --field`},
		{several("\"id\"x,text\n"), "", "read 1: its first row cannot be read: quotes in it are not " +
			"closed, or something stands after them"},
		{several("\xef\xbb\xbf\"te\nxt\"\n1,2\n", "\"te\nxt\""), "",
			"read 1: there is no column \"text\": choose from te\nxt with --field"},
		{several("\"id\nx"), "", "read 1: its first row does not end within 65536 bytes: is it CSV?"},
	} {
		var out, duplicates bytes.Buffer
		opts := testOptions(t, nil, &out)
		opts.Inputs, opts.Format, opts.Duplicates = c.inputs, CSV(',', true, []string{"text"}), &duplicates
		_, err := do(opts)
		if out.String() != c.out || err == nil != (c.error == "") || err != nil && err.Error() != c.error {
			t.Errorf("%q, %v, want %q, %v", out.String(), err, c.out, c.error)
		}
		if header, _, _ := strings.Cut(c.out, "\n"); header != "" && duplicates.String() != header+"\n" {
			t.Errorf("duplicates %q", duplicates.String())
		}
	}
}

func FuzzFormats(f *testing.F) {
	for _, input := range []string{"id,text\n1,\"a \"\"b\"\"\n c\"\n2,x", "[{\"text\":\"a\\\"\"},\n1,[]]", "a\n@@\nb",
		"\"", "[", "\xef\xbb\xbf[]", "\xec\x00\n\x00\x00@@\nb", "a\x00\n1,\"\n",
		"sep=\x00\n1,\"\n"} {
		f.Add([]byte(input), uint8(3))
	}
	field, _ := ParseField("text")
	f.Fuzz(func(t *testing.T, input []byte, size uint8) {
		for _, format := range []Format{CSV(',', true, []string{"1"}), CSV('\t', false, []string{"1"}), CSV(0, true,
			[]string{"1"}), TSV(false, []string{"1"}), JSONArray([]Field{field}), Text("\n@@\n"), Text("\x00")} {
			var want string
			for i, sizes := range [][]int{{1 << 20}, {1 + int(size)}} {
				var out, all bytes.Buffer
				opts := testOptions(t, &chunks{data: input, sizes: sizes}, &out)
				opts.Format, opts.MaxRecord, opts.Duplicates = format, 50, &all
				_, err := do(opts)
				got := fmt.Sprintf("%q %q %v", out.String(), all.String(), err)
				if i == 0 {
					want = got
				} else if got != want {
					t.Errorf("%T: %s\nwant %s", format, got, want)
				}
				if err == nil && format.Frame().Open == "" && out.Len()+all.Len() < len(input) {
					t.Errorf("%T: %d bytes in, %d and %d out", format, len(input), out.Len(), all.Len())
				}
			}
		}
	})
}
