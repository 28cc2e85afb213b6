package collector

import "testing"

// The next collection comes when the heap has the least, or has grown by leastReserve.
func TestReserve(t *testing.T) {
	for least, all := range map[LeastHeap]map[uint64]int{
		9 << 20:  {0: 225, 1 << 20: 225, 4 << 20: 120, 6 << 20: 40, 9<<20 - 1: 20, 9 << 20: 20, 1 << 40: 20},
		16 << 20: {0: 400, 1 << 20: 400, 4 << 20: 300, 10 << 20: 60, 16<<20 - 1: 20, 16 << 20: 20, 1 << 40: 20},
	} {
		for live, want := range all {
			if got := least.reserveFor(live); got != want {
				t.Errorf("at least %d, %d bytes in use: %d percent, want %d", least, live, got, want)
			}
		}
	}
}
