package columnar

import (
	"bytes"
	"testing"
)

// TestHasBetween: what is looked for is found wherever it stands, also across the blocks that are
// read, and nowhere else.
func TestHasBetween(t *testing.T) {
	what := []byte("PAR1PAR1")
	for _, at := range []int{0, 1, 64<<10 - 9, 64<<10 - 8, 64<<10 - 7, 64<<10 - 1, 64 << 10, 131 << 10} {
		data := bytes.Repeat([]byte("PAR0 "), 40<<10)
		copy(data[at:], what)
		size := int64(len(data))
		for _, c := range []struct {
			from, to int64
			want     bool
		}{
			{0, size, true}, {int64(at), int64(at) + 8, true}, {int64(at) + 1, size, false}, {0, int64(at) + 7, false},
		} {
			got, err := HasBetween(bytes.NewReader(data), c.from, c.to, what)
			if err != nil || got != c.want {
				t.Errorf("at %d, from %d to %d: %v, %v", at, c.from, c.to, got, err)
			}
		}
	}
}
