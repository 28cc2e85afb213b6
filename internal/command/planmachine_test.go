package command

import (
	"math"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
)

// TestMachineOf has the sizes of a family grow by their vCPUs, and no size beyond its largest.
func TestMachineOf(t *testing.T) {
	m, err := machineOf(&config.Plan{MachineFlags: config.MachineFlags{On: "r6i.4xlarge"}})
	if err != nil || *m != (machine{"r6i.4xlarge", 16, 128 << 30, 1.008}) {
		t.Errorf("%+v, %v", m, err)
	}
	for _, unknown := range []string{"r6i", "r6i.", "r6i.tiny", "x9.large", ".large", "m7g.24xlarge"} {
		_, err := machineOf(&config.Plan{MachineFlags: config.MachineFlags{On: unknown}})
		if err == nil || !strings.Contains(err.Error(), "give --cores N and --memory SIZE") {
			t.Errorf("%q: %v", unknown, err)
		}
	}
	if m, err := machineOf(&config.Plan{}); m != nil || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
}

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
		p := planOn(machine{Cores: c.cores, Memory: 64 << 30, Dollar: 2}, cost, 36e8, 65<<30, c.index)
		hours := 1e6 / c.rate
		if math.Abs(p.Rate/c.rate-1) > 1e-9 || math.Abs(p.Hours/hours-1) > 1e-9 || p.isOrdered() != c.moreIsNoUse ||
			math.Abs(p.Dollars/(2*hours)-1) > 1e-9 || p.Fits {
			t.Errorf("%+v: %+v", c, p)
		}
	}
	if p := planOn(machine{Cores: 1, Memory: 65 << 30}, cost, 1, 65<<30, 0); !p.Fits || p.Dollars != 0 {
		t.Errorf("%+v", p)
	}
}
