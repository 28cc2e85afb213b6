package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// leastHeap is how large the heap becomes before garbage is looked for at all. A run of few short
// records never needs so much, and looking would only take time at its start.
const leastHeap = 16 << 20

// leastReserve is how much garbage there may be beside what is in use, in percent of it.
const leastReserve = 20

// firstReserve is the reserve with which that comes so late: the runtime counts from 4 MB.
const firstReserve = 100 * leastHeap / (4 << 20)

// startLate has the first collection come when the heap has leastHeap. It returns what has been set
// before, for a command that does not keep its reserve small.
func startLate() (before int) { return debug.SetGCPercent(firstReserve) }

// keepReserveSmall has the collector leave less room for garbage from its first collection on. In
// steady state nothing is allocated, and the index is not on the heap: a small reserve costs
// nothing and keeps the memory that a few long records take near their size.
func keepReserveSmall() { keptSmall.Do(func() { afterCollection(firstReserve) }) }

var keptSmall sync.Once // as long as the program runs, however often Run is called

// afterCollection sets the reserve after the next collection, and after each that follows: so that
// the next one comes neither before the heap has leastHeap, nor much later than what is in use has
// grown.
func afterCollection(percent int) {
	type collected struct{ _ *byte } // not one of the tiny objects, which share memory and so live on
	runtime.AddCleanup(new(collected), func(percent int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if reserve := reserveFor(live[0].Value.Uint64()); reserve != percent {
			debug.SetGCPercent(reserve)
			percent = reserve
		}
		afterCollection(percent)
	}, percent)
}

// reserveFor is the reserve where so many bytes are in use, in steps, since to set it stops the
// program for a moment.
func reserveFor(live uint64) (percent int) {
	const step = 20
	if live < leastHeap {
		percent = int(100 * (leastHeap - live) / max(1, live) / step * step)
	}
	return min(max(leastReserve, percent), firstReserve)
}
