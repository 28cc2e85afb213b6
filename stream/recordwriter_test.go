package stream

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// recordList is an output that takes records one at a time, and refuses one of them.
type recordList struct {
	records []string
	refused string
	flushed int // how many had come when it was told to flush last
}

var errRefused = errors.New("it is refused")

func (l *recordList) WriteRecord(record []byte) error {
	if l.refused != "" && strings.Contains(string(record), l.refused) {
		return errRefused
	}
	l.records = append(l.records, string(record))
	return nil
}

func (l *recordList) Write(p []byte) (int, error) { panic("records come by WriteRecord") }
func (l *recordList) Flush() error                { l.flushed = len(l.records); return nil }

// TestRecordWriter gets whole records, without a byte order mark, and with members that are added.
func TestRecordWriter(t *testing.T) {
	const input = "\ufeff{\"text\":\"one\"}\n{\"text\":\"ONE\"}\n{\"text\":\"two\"}"
	for _, c := range []struct {
		annotate bool
		want     []string
	}{
		{false, []string{"{\"text\":\"one\"}\n", "{\"text\":\"two\"}\n"}},
		{true, []string{"{\"text\":\"one\",\"mithril_duplicate\":false}\n",
			"{\"text\":\"ONE\",\"mithril_duplicate\":true}\n", "{\"text\":\"two\",\"mithril_duplicate\":false}\n"}},
	} {
		list := &recordList{}
		opts := testOptions(t, strings.NewReader(input), nil)
		opts.Output, opts.Convert, opts.Annotate = list, true, c.annotate
		stats, err := do(opts)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(list.records, c.want) || list.flushed != len(c.want) {
			t.Errorf("annotate %t: %q, flushed after %d", c.annotate, list.records, list.flushed)
		}
		if got, want := stats.Written.Output, uint64(len(strings.Join(c.want, ""))); got != want {
			t.Errorf("annotate %t: %d bytes are counted, %d were handed over", c.annotate, got, want)
		}
	}
}

// TestRefusedRecord names the record that an output refuses by its place in the input, in both
// outputs.
func TestRefusedRecord(t *testing.T) {
	const input = "{\"text\":\"one\"}\n{\"text\":\"ONE\"}\n{\"text\":\"two\"}\n"
	for refused, want := range map[string]string{
		"two": "write output: lines:3: it is refused",
		"ONE": "write duplicates: lines:2: it is refused",
	} {
		opts := testOptions(t, strings.NewReader(input), nil)
		opts.Inputs[0].Name = "lines"
		opts.Output, opts.Duplicates = &recordList{refused: refused}, &recordList{refused: refused}
		opts.Convert = true
		_, err := do(opts)
		if err == nil || err.Error() != want || !errors.Is(err, errRefused) {
			t.Errorf("%s: %v, want %s", refused, err, want)
		}
	}
}
