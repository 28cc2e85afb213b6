package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// idSink notes how records are named.
type idSink struct{ seen []string }

func (s *idSink) Observe(d *Decided) error {
	s.seen = append(s.seen, fmt.Sprintf("%s:%d %s", d.Input, d.Record, d.ID))
	return nil
}

func (*idSink) Flush() error { return nil }

func TestRecordsAreNamed(t *testing.T) {
	fields := fieldsOf(t, "text")
	for _, c := range []struct {
		name, id, input string
		format          Format
		want            []string
	}{
		{"lines", "meta.id", `{"meta":{"id":"a\u0062"},"text":"one"}
nonsense
{"text":"two","meta":{"id":-12.5e1}}
{"text":"...","meta":{"id":3}}
{"text":"three","meta":{"id":null}}
{"meta":{"id":"no text"}}
`, JSONLines(fields), []string{`1 "a\u0062"`, `2 `, `3 -12.5e1`, `4 3`, `5 `, `6 "no text"`}},
		{"array", "id", `[{"id":"x","text":"one"},
{"id":7,"text":"two"}]`, JSONArray(fields), []string{`1 "x"`, `2 7`}},
		{"rows", "key", "key,text\n\"say \"\"it\"\"\",one\n7,two\n", CSV(',', true, []string{"text"}),
			[]string{`1 "say \"it\""`, `2 "7"`}},
		{"rows without header", "2", "one,a\ntwo\n", CSV(',', false, []string{"1"}), []string{`1 "a"`, `2 `}},
		{"no such column", "nowhere", "key,text\na,b\n", CSV(',', true, []string{"text"}), []string{`1 `}},
		{"no name", "", `{"id":"x","text":"one"}`, JSONLines(fields), []string{`1 `}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := testOptions(t, strings.NewReader(c.input), new(bytes.Buffer))
			sink := &idSink{}
			opts.Format, opts.ID, opts.Sinks = c.format, c.id, []Sink{sink}
			if _, err := do(opts); err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				c.want[i] = opts.Inputs[0].Name + ":" + c.want[i]
			}
			if !slices.Equal(sink.seen, c.want) {
				t.Errorf("got %q, want %q", sink.seen, c.want)
			}
		})
	}
}

// namedRows are rows that hand over the values of fields, which stand before their texts.
type namedRows struct {
	rows
	asked []string
}

func (r *namedRows) Name(fields []Field) error {
	for _, f := range fields {
		r.asked = append(r.asked, f.String())
	}
	return nil
}

func (r *namedRows) ReadRecords(ctx context.Context, to *Records) error {
	err := r.rows.ReadRecords(ctx, to)
	for i := range to.List {
		for _, field := range r.asked {
			span := Span{Start: len(to.Buf)}
			if i != 1 { // the second of each batch has none
				text := to.Buf[to.List[i].Text.Start:to.List[i].Text.End]
				to.Buf = fmt.Appendf(to.Buf, "%q", field+" of "+string(text))
			}
			span.End = len(to.Buf)
			to.Named = append(to.Named, span)
		}
	}
	return err
}

// TestRowsAreNamed asks a reader once for each field, whatever it is wanted for.
func TestRowsAreNamed(t *testing.T) {
	r := &namedRows{rows: rows{lines: []string{"a", "b", "c", "d"}, size: 2, err: io.EOF}}
	opts := rowOptions(t, &r.rows, io.Discard)
	opts.Inputs[0].OpenRecords = func() (RecordReader, error) { return r, nil }
	sink := &toldSink{}
	opts.Format, opts.Sinks = record.Rows([]string{"text"}), []Sink{sink}
	opts.ID, opts.Fields = "id", []string{"n", "meta.source", "id"}
	if _, err := do(opts); err != nil {
		t.Fatal(err)
	}
	if want := []string{"id", "n", "meta.source"}; !slices.Equal(r.asked, want) {
		t.Errorf("asked for %q, want %q", r.asked, want)
	}
	want := []string{
		`"id of a" "n of a" "meta.source of a" "id of a"`, "   ", `"id of c" "n of c" "meta.source of c" "id of c"`, "   ",
	}
	if !slices.Equal(sink.told, want) {
		t.Errorf("told %q, want %q", sink.told, want)
	}
}

// toldSink notes what sinks are told of the fields of records.
type toldSink struct{ told []string }

func (s *toldSink) Observe(d *Decided) error {
	s.told = append(s.told, fmt.Sprintf("%s %s", d.ID, bytes.Join(d.Fields, []byte(" "))))
	return nil
}

func (*toldSink) Flush() error { return nil }

func TestRecordsThatCannotBeNamed(t *testing.T) {
	for _, format := range []Format{Text("\n"), WholeFile(), Framed("row", nil)} {
		opts := testOptions(t, strings.NewReader(""), new(bytes.Buffer))
		opts.Format, opts.ID = format, "id"
		if _, err := New(opts); err == nil {
			t.Errorf("records of %T are said to have fields", format)
		}
	}
	opts := testOptions(t, strings.NewReader(""), new(bytes.Buffer))
	opts.ID = "a..b"
	if _, err := New(opts); err == nil {
		t.Error("a path of an empty step is accepted")
	}
}
