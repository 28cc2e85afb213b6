package bloomlsh

import "sync"

// A crew is several goroutines that insert the records of a batch into one generation, each into a few bands of it. Under RememberAll every
// key is inserted whatever the other bands say, so that what a record meets does not depend on how far another band has come.
type crew struct {
	generation *generation
	members    []*member
	keys       []Key // of the records at hand
	busy       sync.WaitGroup
}

// A member looks after the bands from … to-1, which are a smaller filter by themselves.
type member struct {
	from, to int
	filter   filter
	outcomes []outcome // of the records at hand, as far as its bands say
	start    chan struct{}
}

// newCrew divides the bands of a generation among so many goroutines, which wait for work until stop.
func newCrew(g *generation, workers int) *crew {
	c := &crew{generation: g}
	for w := range workers {
		m := &member{from: g.bands * w / workers, to: g.bands * (w + 1) / workers, start: make(chan struct{}, 1)}
		part := g.geometry
		part.bands = m.to - m.from
		m.filter = newFilter(part, g.words[uint64(m.from)*g.bandWords:uint64(m.to)*g.bandWords])
		c.members = append(c.members, m)
		go func() {
			for range m.start {
				m.filter.insert(m.outcomes, batch{c.keys, g.bands, m.from, m.to})
				c.busy.Done()
			}
		}()
	}
	return c
}

// insert inserts the records of a batch, of which the generation has room for all, and adds to their outcomes.
func (c *crew) insert(outcomes []outcome, keys []Key) {
	c.keys = keys
	c.busy.Add(len(c.members))
	for _, m := range c.members {
		m.outcomes = append(m.outcomes[:0], outcomes...)
		m.start <- struct{}{}
	}
	c.busy.Wait()
	for _, m := range c.members {
		for i, o := range m.outcomes {
			outcomes[i] |= o
		}
	}
}

// stop ends the goroutines, which have nothing to do.
func (c *crew) stop() {
	for _, m := range c.members {
		close(m.start)
	}
}

// Parallelize lets ObserveBatch use so many goroutines beside the one that calls it, where it can. It may be called once.
func (x *Index) Parallelize(workers int) {
	if workers = min(workers, x.params.Bands); workers > 1 && x.params.Remember == RememberAll {
		x.crew = newCrew(x.current(), workers)
	}
}
