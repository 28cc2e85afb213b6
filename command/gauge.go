package command

import (
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A gauge is an index whose size others may read while the committer works with it.
type gauge struct {
	index                     *bloomlsh.Index
	observed                  uint64 // the committer's
	inserted, capacity, bytes atomic.Uint64
}

func newGauge(x *bloomlsh.Index) *gauge {
	g := &gauge{index: x}
	g.read()
	return g
}

// gaugeInterval is how many records pass between two readings: few enough to be current, many enough to cost nothing.
const gaugeInterval = 4096

// Observe asks the index; see bloomlsh.Index.
func (g *gauge) Observe(keys []stream.Key) (bool, error) {
	if g.observed++; g.observed%gaugeInterval == 0 {
		g.read()
	}
	return g.index.Observe(keys)
}

func (g *gauge) read() {
	u := g.index.Usage()
	g.inserted.Store(u.Inserted)
	g.capacity.Store(u.Capacity)
	g.bytes.Store(u.Bytes)
}
