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
	if g.observed++; g.observed%gaugeInterval == 0 {
		g.read()
	}
	return g.seen.Observe(keys)
}

func (g *gauge) read() {
	u := g.usage()
	g.inserted.Store(u.Inserted)
	g.capacity.Store(u.Capacity)
	g.bytes.Store(u.Bytes)
}
