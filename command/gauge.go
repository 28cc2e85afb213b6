package command

import (
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A gauge lets others read how large the indexes are while the committer works with them.
type gauge struct {
	*seen
	observed                  uint64 // by the committer
	inserted, capacity, bytes atomic.Uint64
}

func newGauge(s *seen) *gauge {
	g := &gauge{seen: s}
	g.read()
	return g
}

// gaugeInterval is how many records pass between two readings: few enough to be current, many enough to cost nothing.
const gaugeInterval = 4096

// Observe is seen.Observe.
func (g *gauge) Observe(keys []stream.Key) (bool, error) {
	g.count(1)
	return g.seen.Observe(keys)
}

// ObserveBatch is seen.ObserveBatch.
func (g *gauge) ObserveBatch(keys []stream.Key, duplicates []bool) (observed int, err error) {
	g.count(uint64(len(duplicates)))
	return g.seen.ObserveBatch(keys, duplicates)
}

func (g *gauge) count(records uint64) {
	before := g.observed
	if g.observed += records; before/gaugeInterval != g.observed/gaugeInterval {
		g.read()
	}
}

func (g *gauge) read() {
	u := g.usage()
	g.inserted.Store(u.Inserted)
	g.capacity.Store(u.Capacity)
	g.bytes.Store(u.Bytes)
}
