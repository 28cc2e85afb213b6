package record

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// rowEnds returns the indexes after the newlines that end rows, by looking at one byte at a time.
func rowEnds(text []byte) (ends []int) {
	quoted, closed, last := false, false, byte('\n')
	for i, b := range text {
		switch {
		case b == '"' && quoted:
			quoted, closed = false, true
		case b == '"':
			quoted = closed || last == ',' || last == '\n'
			closed = false
		default:
			closed = false
			if b == '\n' && !quoted {
				ends = append(ends, i+1)
			}
		}
		last = b
	}
	return ends
}

// TestRowsEndWhereTheirBytesSay compares the ends of rows with what single bytes say, whether the
// first or the last one is searched for.
func TestRowsEndWhereTheirBytesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("aab,\"\"\n")), 0, 60).Draw(t, "text")
		s := rowScanner{dialect: dialect{comma: ',', newline: '\n'}}
		var ends []int
		for at := 0; ; {
			s.restart()
			end := s.scan(text[at:], 0, true)
			if end == 0 {
				break
			}
			at += end
			ends = append(ends, at)
		}
		want := rowEnds(text)
		if !slices.Equal(ends, want) {
			t.Fatalf("%q: rows end at %v, want %v", text, ends, want)
		}
		s.restart()
		last := 0
		if len(want) > 0 {
			last = want[len(want)-1]
		}
		if end := s.scan(text, 0, false); end != last {
			t.Fatalf("%q: the last row ends at %d, want %d", text, end, last)
		}
	})
}

// TestShortRowsOfALongBlock checks that finding the rows of a batch takes no longer if much follows
// them.
func TestShortRowsOfALongBlock(t *testing.T) {
	format := CSV(',', true, []string{"text"})
	for _, row := range []string{"a\n", "\"a\"\n", "a,\"b\"\n"} {
		took := func(rows int) (least time.Duration) {
			block := bytes.Repeat([]byte(row), rows)
			for range 5 {
				cut := format.NewSplitter().(*rowSplitter)
				if _, _, err := cut.Head([]byte("text\n")); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				if end := cut.endOfMost(block); end != MaxRecords*len(row) {
					t.Fatalf("%d bytes of %d rows, want %d", end, rows, MaxRecords*len(row))
				}
				if d := time.Since(start); least == 0 || d < least {
					least = d
				}
			}
			return least
		}
		if short, long := took(MaxRecords), took(1000*MaxRecords); long > 20*short {
			t.Errorf("%q: %v for a batch with nothing after it, %v with 1,000 times as much", row, short, long)
		}
	}
}
