package sa

import (
	"fmt"
	"math"
)

// Span is a passage of a text that repeats what came before.
type Span struct {
	Start, End int // the passage is text[Start:End]
	// where the first bytes of it, as many as the minimum length, occur for the first time; always
	// before Start
	First int
}

// Repeats returns what a text repeats of itself, in passages of at least minLength bytes, in text
// order.
//
// ends are the places where the text's records end, ascending, the last one being len(text); nil is
// one record. A window is minLength consecutive bytes of one record. A window is repeated if the
// same bytes are a window further to the left. A span is a maximal passage of one record that
// repeated windows cover without a gap: a byte is in a span if and only if it belongs to minLength
// bytes of its record that occur before.
func Repeats(text []byte, ends []int, minLength int) ([]Span, error) {
	if err := checkRecords(text, ends, minLength); err != nil {
		return nil, err
	}
	if len(text) <= math.MaxInt32 {
		return repeats[int32](text, ends, minLength)
	}
	return repeats[int64](text, ends, minLength)
}

func checkRecords(text []byte, ends []int, minLength int) error {
	if minLength < 1 {
		return fmt.Errorf("repeats: a minimum length of %d bytes is less than 1", minLength)
	}
	last := 0
	for i, end := range ends {
		if end < last || end > len(text) {
			return fmt.Errorf("repeats: record %d ends at %d, after one that ends at %d, in a text of %d bytes", i, end,
				last, len(text))
		}
		last = end
	}
	if len(ends) > 0 && last != len(text) {
		return fmt.Errorf("repeats: the last record ends at %d, the text at %d", last, len(text))
	}
	return nil
}

func repeats[I Index](text []byte, ends []int, minLength int) ([]Span, error) {
	if len(ends) == 0 {
		ends = []int{len(text)}
	}
	array := make([]I, len(text))
	if err := Sort(text, array); err != nil {
		return nil, err
	}
	first := prefixes(text, array)
	joined := newBitmap(len(text)) // positions that share a window with their predecessor in the array
	parts(len(text), func(from, to int) {
		for p := from; p < to; p++ {
			if int(first[p]) >= minLength {
				joined.set(p)
			}
		}
	})
	markFirst(array, first, joined, windows(len(text), ends, minLength))
	return cover(first, ends, minLength), nil
}

// windows marks where windows begin: where a record has minLength bytes left.
func windows(n int, ends []int, minLength int) bitmap {
	whole := newBitmap(n)
	start := 0
	for _, end := range ends {
		for p := start; p+minLength <= end; p++ {
			whole.set(p)
		}
		start = end
	}
	return whole
}

// markFirst writes into first, for each window, where it occurs for the first time; for what is no
// window, its own place. Equal windows are neighbours in the array: a run of joined entries and the
// one before them.
func markFirst[I Index](array, first []I, joined, whole bitmap) {
	for from := 0; from < len(array); {
		to := from + 1
		for to < len(array) && joined.has(int(array[to])) {
			to++
		}
		earliest := array[from]
		alone := to == from+1
		if !alone {
			earliest = I(maxOf[I]())
			for _, p := range array[from:to] {
				if whole.has(int(p)) {
					earliest = min(earliest, p)
				}
			}
		}
		for _, p := range array[from:to] {
			if alone || !whole.has(int(p)) {
				first[p] = p
			} else {
				first[p] = earliest
			}
		}
		from = to
	}
}

// cover joins repeated windows to spans, record by record.
func cover[I Index](first []I, ends []int, minLength int) []Span {
	var spans []Span
	start := 0
	for _, end := range ends {
		current := -1 // no span yet in this record
		for p := start; p < end; p++ {
			q := int(first[p])
			if q == p {
				continue
			}
			if current >= 0 && p <= spans[current].End {
				spans[current].End = p + minLength
				continue
			}
			current = len(spans)
			spans = append(spans, Span{Start: p, End: p + minLength, First: q})
		}
		start = end
	}
	return spans
}

type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
