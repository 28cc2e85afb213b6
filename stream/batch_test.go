package stream

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A part of a batch has the sketches, problems and times of its records, and no others.
func TestSliceOfABatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Batch
		timed := rapid.Bool().Draw(t, "timed")
		times := map[int]int64{}
		for i := range rapid.IntRange(0, 20).Draw(t, "records") {
			p := NoText
			if n := rapid.IntRange(0, 3).Draw(t, "words"); n > 0 {
				b.Words, p = append(b.Words, rapid.SliceOfN(rapid.Uint64(), n, n).Draw(t, "sketch")...), Problem{}
				if timed {
					times[i] = int64(i)
					b.Times = append(b.Times, int64(i))
				}
			}
			b.add(p)
		}
		from := rapid.IntRange(0, b.Len()).Draw(t, "from")
		to := rapid.IntRange(from, b.Len()).Draw(t, "to")
		part, told := b.Slice(from, to), 0
		if part.Len() != to-from {
			t.Fatalf("%d records of %d to %d", part.Len(), from, to)
		}
		for i := range part.Len() {
			if !slices.Equal(part.Sketch(i), b.Sketch(from+i)) || part.Problems[i] != b.Problems[from+i] {
				t.Fatalf("record %d is another one", i)
			}
			if second, ok := times[from+i]; ok {
				if part.Times[told] != second {
					t.Fatalf("record %d is of %d, not %d", i, part.Times[told], second)
				}
				told++
			}
		}
		if len(part.Times) != told {
			t.Fatalf("%d times of %d records", len(part.Times), told)
		}
	})
}
