package windowclock

import (
	"math"
	"testing"
	"time"
)

// keep is how many windows are remembered here.
const keep = 5

// tell passes records of a window and returns how many windows have begun, and how many records
// that were early have settled.
func tell(c *Clock, window int64, times int) (begun, settled int) {
	for range times {
		var all []Early
		if !c.IsEarly(window) {
			all = c.Pass(window)
		} else {
			var begins bool
			if all, begins = c.Advance(Early{Window: window}, keep); begins {
				begun++
			}
		}
		settled += len(all)
	}
	return begun, settled
}

// A window begins when enough of the last records say so, and not because of a few wrong times.
func TestTell(t *testing.T) {
	c := Clock{Window: None}
	for _, step := range []struct {
		window                int64
		times, begun, settled int
		now                   int64
	}{
		{5, Believed - 1, 0, 0, None}, {5, 1, 1, Believed, 5}, // the first one
		{900, 2, 0, 0, 5}, {5, Doubted - 1, 0, 0, 5}, {5, 1, 0, 2, 5}, // two are wrong, and settle here
		{900, Believed - 1, 0, 0, 5}, {5, Doubted, 0, Believed - 1, 5},
		{6, Believed, 1, Believed, 6}, {3, 100, 0, 0, 6}, // late ones change nothing
		{9, 3, 0, 0, 6}, {8, Believed - 3, 1, Believed, 8}, // of several later ones the first
	} {
		begun, settled := tell(&c, step.window, step.times)
		if begun != step.begun || settled != step.settled || c.Window != step.now {
			t.Errorf("%+v: %d have begun, %d have settled, and it is %d", step, begun, settled, c.Window)
		}
	}
}

// In a stream of a record a month each is early for a while, and then belongs to its month.
func TestSparse(t *testing.T) {
	c := Clock{Window: None}
	for month := range int64(100) {
		tell(&c, 30*month, 1)
		if len(c.Early) >= Believed || month >= Believed && c.Window < 30*(month-Believed) {
			t.Fatalf("month %d: %d records are early, and it is %d", month, len(c.Early), c.Window)
		}
		if c.Window > 30*month {
			t.Fatalf("month %d: it is %d", month, c.Window)
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
	if Oldest(6, 4) != 3 || Oldest(None, 4) <= None || Oldest(math.MinInt64+2, 4) > math.MinInt64+2 {
		t.Error("other windows are remembered than the last four")
	}
}
