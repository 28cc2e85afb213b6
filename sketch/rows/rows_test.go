package rows_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mithril-stream/mithril-stream/sketch/rows"
)

func Example() {
	a, _ := rows.Append(nil, []float32{.5, 1, 0})
	b, _ := rows.Append(nil, []float32{50, 100, 0})
	c, _ := rows.Append(nil, []float32{0, 0, -3})
	fmt.Println(len(a), rows.Words(33))
	fmt.Println(rows.Cosine(a, b), rows.Cosine(a, c))
	// Output:
	// 4 8
	// 1 0
}

// TestForm holds the place of each value, and what rounding makes of it.
func TestForm(t *testing.T) {
	vector := make([]float32, 34)
	vector[0], vector[9], vector[33] = 2, -1, .5
	row, err := rows.Append([]uint64{7}, vector)
	want := []uint64{7, 127, 0xc0 << 8, 0, 0, 32 << 8, 0, 0, 0} // -64 is 0xc0
	if err != nil || !slices.Equal(row, want) {
		t.Errorf("the row is %x, want %x, %v", row, want, err)
	}
}

func TestNoRow(t *testing.T) {
	for _, c := range []struct {
		vector []float32
		want   string
	}{
		{nil, rows.ErrZero.Error()},
		{[]float32{0, 0}, rows.ErrZero.Error()},
		{[]float32{1, float32(math.NaN())}, "value 1 of the vector is NaN"},
		{[]float32{float32(math.Inf(-1)), 2}, "value 0 of the vector is -Inf"},
	} {
		row, err := rows.Append([]uint64{7}, c.vector)
		if err == nil || err.Error() != c.want || errors.Is(err, rows.ErrZero) != (c.want == rows.ErrZero.Error()) {
			t.Errorf("%v: the error is %v, want %q", c.vector, err, c.want)
		}
		if !slices.Equal(row, []uint64{7}) {
			t.Errorf("%v: %v was appended to", c.vector, row)
		}
	}
	if got := rows.Cosine(make([]uint64, 4), []uint64{1, 0, 0, 0}); got != 0 {
		t.Errorf("the cosine with a row of zeroes is %v", got)
	}
}
