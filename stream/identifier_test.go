package stream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// idSink notes how records are named.
type idSink struct{ seen []string }

func (s *idSink) Take(d *Decided) error {
	s.seen = append(s.seen, fmt.Sprintf("%s:%d %s", d.Input, d.Record, d.ID))
	return nil
}

func (*idSink) Flush() error { return nil }

func TestRecordsAreNamed(t *testing.T) {
	fields := []Field{{name: "text", steps: []step{newStep("text")}}}
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
