package command

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A leastHeap is how many bytes the heap has when garbage is looked for at first. A run of few
// short records never needs so many, and looking would only take time at its start.
type leastHeap uint64

const (
	filterHeap leastHeap = 10 << 20 // with more it comes close to the 64 MiB that docs/reference/small.md promises
	otherHeap  leastHeap = 16 << 20 // of commands whose heap is large anyway, as that of groups
)

// leastReserve is how much garbage there may be beside what is in use, in percent of it.
const leastReserve = 20

// firstReserve is the reserve with which the first collection comes so late: the runtime counts
// from 4 MB.
func (least leastHeap) firstReserve() (percent int) { return int(100 * least / (4 << 20)) }

// startLate has the first collection come when the heap has what it may have in a filter. It
// returns what has been set before, for a command that does not keep its reserve small.
func startLate() (before int) { return debug.SetGCPercent(filterHeap.firstReserve()) }

// keepReserveSmall has the collector leave less room for garbage from its first collection on. In
// steady state nothing is allocated, and the index is not on the heap: a small reserve costs
// nothing and keeps the memory that a few long records take near their size.
func (least leastHeap) keepReserveSmall() {
	keptSmall.Do(func() {
		first := least.firstReserve()
		debug.SetGCPercent(first)
		least.afterCollection(first)
	})
}

var keptSmall sync.Once // as long as the program runs, however often Run is called

// afterCollection sets the reserve after the next collection, and after each that follows: so that
// the next one comes neither before the heap has the least, nor much later than what is in use has
// grown.
func (least leastHeap) afterCollection(percent int) {
	type collected struct{ _ *byte } // not one of the tiny objects, which share memory and so live on
	runtime.AddCleanup(new(collected), func(percent int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if reserve := least.reserveFor(live[0].Value.Uint64()); reserve != percent {
			debug.SetGCPercent(reserve)
			percent = reserve
		}
		least.afterCollection(percent)
	}, percent)
}

// reserveFor is the reserve where so many bytes are in use, in steps, since to set it stops the
// program for a moment.
func (least leastHeap) reserveFor(live uint64) (percent int) {
	const step = 20
	if live < uint64(least) {
		percent = int(100 * (uint64(least) - live) / max(1, live) / step * step)
	}
	return min(max(leastReserve, percent), least.firstReserve())
}
