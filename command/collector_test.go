package command

import "testing"

// The next collection comes when the heap has leastHeap, or has grown by leastReserve.
func TestReserve(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 400, 1 << 20: 400, 4 << 20: 300, 10 << 20: 60, leastHeap - 1: leastReserve, leastHeap: leastReserve,
		1 << 40: leastReserve,
	} {
		if got := reserveFor(live); got != want {
			t.Errorf("%d bytes in use: %d percent, want %d", live, got, want)
		}
	}
}
