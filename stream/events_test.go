package stream

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// eventsOf is the definition: an event begins with a line that begins one, or with the first line.
func eventsOf(input string, begins func([]byte) bool) (list []string) {
	for _, line := range strings.SplitAfter(input, "\n") {
		if line == "" {
			continue
		}
		head := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if len(list) == 0 || begins([]byte(head[:min(len(head), record.MaxLineStart)])) {
			list = append(list, "")
		}
		list[len(list)-1] += line
	}
	if last := len(list) - 1; last >= 0 && !strings.HasSuffix(list[last], "\n") {
		list[last] += "\n"
	}
	return list
}

// Whatever reads return, the same events come out, and those that are too long are told (I1, I2).
func TestEventsDoNotDependOnReads(t *testing.T) {
	begins, err := record.ParseBeginning(`^\d`)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"\n", "1", "1 a\n", "2\r\n", " at b\n", "Caused by: c\n", "x", "\x00",
			strings.Repeat("z", record.MaxLineStart),
		})).Draw(t, "parts")
		input := strings.Join(parts, "")
		maxRecord := rapid.SampledFrom([]int{1, 5, 12, 30, 2 * record.MaxLineStart}).Draw(t, "maxRecord")
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 7, 30, record.MaxLineStart}), 1, 5).Draw(t, "sizes")
		format := Events(begins)
		r := newBlockReader(maxRecord, nil)
		r.open(&chunks{data: []byte(input), sizes: sizes}, format.NewSplitter())
		var records []string
		var tooLong []bool
		b := newBatch()
		for more := true; more; b.reset() {
			more = r.fill(b)
			parser := format.NewParser()
			switch b.piece {
			case WholeRecords:
				for at := 0; at < len(b.buf); {
					start, body, end := parser.Next(b.buf, at)
					records = append(records, string(b.buf[start:end]))
					tooLong = append(tooLong, body-start > maxRecord)
					at = end
				}
			case FirstPiece:
				records, tooLong = append(records, string(b.buf)), append(tooLong, true)
			default:
				records[len(records)-1] += string(b.buf)
			}
		}
		want := eventsOf(input, begins)
		if strings.Join(records, "|") != strings.Join(want, "|") {
			t.Fatalf("events %q, want %q", records, want)
		}
		for i, record := range records {
			if tooLong[i] != (len(record)-1 > maxRecord) {
				t.Fatalf("event %q: too long %v at max-record %d", record, tooLong[i], maxRecord)
			}
		}
	})
}
