package stream

import (
	"slices"
	"testing"
)

// writeSizes are how long writes were.
type writeSizes []int

func (w *writeSizes) Write(p []byte) (int, error) {
	*w = append(*w, len(p))
	return len(p), nil
}

// TestNeighboursLeaveInOneWrite: records that stand one behind the other in the memory of a batch
// take one write, and what stands elsewhere is copied before it changes.
func TestNeighboursLeaveInOneWrite(t *testing.T) {
	const size = outputBuffer + 1
	memory := make([]byte, 6*size)
	for _, c := range []struct {
		records []int // which parts of the memory
		own     bool
		want    writeSizes
	}{
		{[]int{0, 1, 2}, true, writeSizes{3 * size}},
		{[]int{0, 1, 3, 4, 5}, true, writeSizes{2 * size, 3 * size}},
		{[]int{1, 0}, true, writeSizes{size, size}},
		{[]int{0, 1}, false, writeSizes{size, size}},
	} {
		var written uint64
		got := writeSizes{}
		o := newOutput("output", &got, &written, nil)
		for _, n := range c.records {
			r := &passing{batch: &batch{}, present: present{line: memory[n*size : (n+1)*size], own: c.own}}
			if err := o.process(r); err != nil {
				t.Fatal(err)
			}
		}
		if all := uint64(len(c.records) * size); o.sinceStart() != all {
			t.Errorf("records %v: %d bytes, want %d", c.records, o.sinceStart(), all)
		}
		if err := o.done(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("records %v: writes of %d, want %d (%v)", c.records, got, c.want, err)
		}
	}
}
