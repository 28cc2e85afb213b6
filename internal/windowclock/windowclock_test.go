package windowclock

import (
	"testing"
	"time"
)

// A window begins when enough of the last records say so, and not because of a few wrong times.
func TestTell(t *testing.T) {
	c := Clock{Window: None}
	tell := func(window int64, times int) (begun int) {
		for range times {
			if c.Advance(window) {
				begun++
			}
		}
		return begun
	}
	for _, step := range []struct {
		window       int64
		times, begun int
		now          int64
	}{
		{5, Believed - 1, 0, None}, {5, 1, 1, 5}, // the first one
		{900, Believed / 2, 0, 5}, {5, Believed, 0, 5}, {900, Believed - 1, 0, 5}, // some are wrong
		{5, Believed, 0, 5}, {6, Believed, 1, 6}, {3, 100, 0, 6}, // and late ones change nothing
		{9, 3, 0, 6}, {8, Believed - 3, 1, 8}, // of several later ones the first
	} {
		if begun := tell(step.window, step.times); begun != step.begun || c.Window != step.now {
			t.Errorf("%+v: %d have begun, and it is %d", step, begun, c.Window)
		}
	}
}

func TestWindows(t *testing.T) {
	if got := Seconds(30*24*time.Hour, 5); got != 30*24*60*60/4 {
		t.Errorf("a window has %d seconds", got)
	}
	if got := Seconds(10*time.Second, 4); got != 4 { // three of them are no shorter than the age
		t.Errorf("a window has %d seconds", got)
	}
	for second, want := range map[int64]int64{-5: -2, -4: -1, -1: -1, 0: 0, 3: 0, 4: 1} {
		if got := Of(second, 4); got != want {
			t.Errorf("second %d is in window %d, want %d", second, got, want)
		}
	}
	if IsOutdated(3, 6, 4) || !IsOutdated(2, 6, 4) {
		t.Error("of four windows others are dropped")
	}
}
