package recipe

import (
	"math"
	"testing"
)

// The defaults must be the program's, and bands and rows the ones that follow from them.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		options     []string
		bands, rows int
	}{
		{nil, 14, 9},
		{[]string{"--preset", "paper"}, 42, 6},
		{[]string{"--bands", "3", "--rows", "4"}, 3, 4},
	} {
		r, err := New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Sketcher.Params(); p.Bands != c.bands || p.Rows != c.rows || r.Index.Bands != c.bands {
			t.Errorf("%q: %d bands of %d rows, index with %d", c.options, p.Bands, p.Rows, r.Index.Bands)
		}
		want := 1 - math.Pow(1-math.Pow(0.8, float64(c.rows)), float64(c.bands))
		if got := r.Catch(0.8); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: catches %g, want %g", c.options, got, want)
		}
	}
	for _, options := range [][]string{{"--field", "body"}, {"--threshold", "7"}, {"--nonsense"}} {
		if _, err := New(options); err == nil {
			t.Errorf("%q: no error", options)
		}
	}
}
