// Package collector sets when garbage is collected. A run of few short records never fills the
// heap, and a filter in steady state allocates nothing: Go's own setting, to collect at 4 MB and
// then whenever the heap has doubled, takes time at each start, and memory after a few long
// records.
package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// before is what the user has set with GOGC, in percent.
//
// It is a variable of the package so that the first collection is put off before other packages are
// initialized, which fills 4 MB. Go initializes a package as soon as all that it imports is
// initialized, and this one imports little.
var before = debug.SetGCPercent(Filter.firstReserve())

// Restore sets what the user has asked for, for a command that does not call KeepReserveSmall.
func Restore() { debug.SetGCPercent(before) }

// LeastHeap is how many bytes the heap has before garbage is first collected.
type LeastHeap uint64

const (
	Filter LeastHeap = 9 << 20  // with more it comes close to the 64 MiB that docs/reference/small.md promises
	Other  LeastHeap = 16 << 20 // of commands whose heap is large anyway, such as groups
)

// leastReserve is how much garbage there may be beside what is in use, in percent of it.
const leastReserve = 20

// firstReserve is the reserve, in percent, with which the first collection comes at least bytes:
// the runtime counts from 4 MB.
func (least LeastHeap) firstReserve() (percent int) { return int(100 * least / (4 << 20)) }

// KeepReserveSmall has the collector leave less room for garbage from its first collection on. In
// steady state nothing is allocated, and the index is not on the heap: a small reserve costs
// nothing and keeps the memory that a few long records take near their size. Only the first call
// has an effect.
func (least LeastHeap) KeepReserveSmall() {
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
func (least LeastHeap) afterCollection(percent int) {
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

// reserveFor returns the reserve when that many bytes are in use, in steps, since setting it stops
// the program for a moment.
func (least LeastHeap) reserveFor(live uint64) (percent int) {
	const step = 20
	if live < uint64(least) {
		percent = int(100 * (uint64(least) - live) / max(1, live) / step * step)
	}
	return min(max(leastReserve, percent), least.firstReserve())
}
