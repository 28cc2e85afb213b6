package files

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines up to the limit come whole, longer ones in parts that are never much longer than it, and
// nothing is lost; whatever the buffer holds.
func TestEachLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for round := range 60 {
		most := []int{1, 10, 1 << 20, 3 << 20}[rng.IntN(4)]
		var text []byte
		var want []string // the number of each line, and whether it is whole
		for range rng.IntN(6) {
			length := max(0, []int{0, most, 1 << 20, 2 << 20}[rng.IntN(4)]+rng.IntN(5)-2)
			text = append(append(text, bytes.Repeat([]byte{'x'}, length)...), '\n')
			want = append(want, fmt.Sprint(len(want)+1, length <= most))
		}
		given := text
		if len(text) > 1 && text[len(text)-2] != '\n' && rng.IntN(2) == 0 {
			given = text[:len(text)-1]
		}
		var got []byte
		var lines []string
		take := LineTaker{
			Most: most,
			Whole: func(line []byte, name string, number uint64) error {
				if len(line) > most+1 || bytes.IndexByte(line, '\n') != len(line)-1 || name != "n" {
					t.Errorf("round %d: %s: a line of %d bytes, of %d", round, name, len(line), most)
				}
				got, lines = append(got, line...), append(lines, fmt.Sprint(number, true))
				return nil
			},
			Part: func(part []byte, _ string, number uint64, isFirst bool) error {
				if got = append(got, part...); isFirst {
					lines = append(lines, fmt.Sprint(number, false))
				}
				if len(part) > max(most, 1<<20) {
					t.Errorf("round %d: a part of %d bytes", round, len(part))
				}
				return nil
			},
		}
		if err := EachLine(t.Context(), bytes.NewReader(given), "n", take); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, text) || fmt.Sprint(lines) != fmt.Sprint(want) {
			t.Fatalf("round %d: %d of %d bytes, lines %v, want %v", round, len(got), len(text), lines, want)
		}
	}
}

// A failed read names the line.
func TestEachLineOfAFailedRead(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF))
	err := EachLine(t.Context(), broken, "n", LineTaker{
		Most:  10,
		Whole: func([]byte, string, uint64) error { return nil },
	})
	if err == nil || err.Error() != "n:2: unexpected EOF" {
		t.Errorf("%v", err)
	}
}
