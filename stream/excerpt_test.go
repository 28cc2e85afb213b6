package stream

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// told is a sink that writes down the fields and the excerpts of records.
type told struct{ list []string }

func (s *told) Observe(d *Decided) error {
	line := string(d.Excerpt)
	for _, value := range d.Fields {
		line += "|" + string(value)
	}
	s.list = append(s.list, line)
	return nil
}

func (*told) Flush() error { return nil }

// TestFieldsAndExcerpts: sinks are told the fields that were asked for and the beginning of the
// text, of the right record, also beside records that have neither.
func TestFieldsAndExcerpts(t *testing.T) {
	text, err := ParseField("text")
	if err != nil {
		t.Fatal(err)
	}
	jsonl := `{"text":"on\u0065 two","lang":"en","n":7}` + "\n" + `no json` + "\n" +
		`{"text":"","lang":"de"}` + "\n" + `{"lang":"fr"}` + "\n" + `{"text":"three","lang":["x"]}` + "\n" +
		`{"text":"` + strings.Repeat("x", 100) + `"}` + "\n"
	for _, c := range []struct {
		name   string
		format Format
		input  string
		want   []string
	}{
		{"jsonl", JSONLines([]Field{text}), jsonl, []string{`one t|"en"|7`, `||`, `|"de"|`, `|"fr"|`, `three||`, `||`}},
		{"csv", CSV(0, true, []string{"text"}), "n,text,lang\n1,one two,en\n2,\n3,three,de\n",
			[]string{`one t|"en"|"1"`, `||"2"`, `three|"de"|"3"`}},
	} {
		for _, threads := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s on %d", c.name, threads), func(t *testing.T) {
				var sink told
				input := Input{Name: "in", Open: func() (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader(c.input)), nil
				}}
				run, err := New(Options{
					Source: Source{
						Inputs: []Input{input}, Format: c.format, MaxRecord: 60,
						SinkData: SinkData{Fields: []string{"lang", "n"}, Excerpt: 5},
					},
					Method: Method{Judge: KeepAll()}, Outputs: Outputs{Sinks: []Sink{&sink}}, Threads: threads,
				})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := run.Do(context.Background()); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(sink.list, c.want) {
					t.Errorf("told %q, want %q", sink.list, c.want)
				}
			})
		}
	}
}

func TestFieldsThatRecordsLack(t *testing.T) {
	source := Source{Format: Text("\n"), SinkData: SinkData{Fields: []string{"lang"}}}
	options := Options{Source: source, Method: Method{Judge: KeepAll()}}
	if _, err := New(options); err == nil || !strings.Contains(err.Error(), `"lang"`) {
		t.Errorf("lines have a field: %v", err)
	}
	options.Fields, options.Excerpt = nil, -1
	if _, err := New(options); err == nil || !strings.Contains(err.Error(), "Excerpt") {
		t.Errorf("an excerpt of -1 bytes: %v", err)
	}
}
