package command

import (
	"math"
	"testing"
)

// TestPlanOn divides the work by the cores, up to the rate of the goroutine that keeps the order.
func TestPlanOn(t *testing.T) {
	cost := recordCost{all: 3000, ordered: 250, judge: 150, bytes: 2000}
	for _, c := range []struct {
		cores       int
		index       float64
		rate        float64
		moreIsNoUse bool
	}{
		{1, 0, 1e9 / 3000., false},
		{8, 0, 8e9 / 3000., false},
		{16, 0, 1e9 / 250., true},
		{128, 0, 1e9 / 250., true},
		{2, 900, 2e9 / 3750., false}, // a large index costs more than the small one that was measured
		{8, 900, 1e9 / 1000., true},
	} {
		p := planOn(machine{Cores: c.cores, Memory: 64 << 30}, cost, 36e8, 65<<30, c.index)
		hours := 1e6 / c.rate
		if math.Abs(p.Rate/c.rate-1) > 1e-9 || math.Abs(p.Hours/hours-1) > 1e-9 || p.isOrdered() != c.moreIsNoUse ||
			p.Fits {
			t.Errorf("%+v: %+v", c, p)
		}
	}
	if p := planOn(machine{Cores: 1, Memory: 65 << 30}, cost, 1, 65<<30, 0); !p.Fits {
		t.Errorf("%+v", p)
	}
}
