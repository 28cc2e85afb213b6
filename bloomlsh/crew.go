package bloomlsh

import "sync"

// A crew is several goroutines that insert the records of a batch into one generation, each into a few bands of it. Under RememberAll every
// key is inserted whatever the other bands say, so that what a record meets does not depend on how far another band has come.
type crew struct {
	generation *generation
	members    []*member
	batch      []Key // of the records at hand
	busy       sync.WaitGroup
}

// A member looks after the bands from … to-1, which are a smaller filter by themselves.
type member struct {
	from, to int
	filter   filter
	outcomes []outcome // of the records at hand, as far as its bands say
	start    chan struct{}
}

// An outcome is what inserting a record has come to.
type outcome uint8

const (
	isDuplicate outcome = 1 << iota // a key was present
	hasChanged                      // a key was not
)

func outcomeOf(duplicate, changed bool) (o outcome) {
	if duplicate {
		o |= isDuplicate
	}
	if changed {
		o |= hasChanged
	}
	return o
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
				m.insert(c.batch, g.bands)
				c.busy.Done()
			}
		}()
	}
	return c
}

// insert inserts the member's keys of each record, in their order.
func (m *member) insert(batch []Key, bands int) {
	m.outcomes = m.outcomes[:0]
	for ; len(batch) > 0; batch = batch[bands:] {
		m.outcomes = append(m.outcomes, outcomeOf(m.filter.add(batch[m.from:m.to])))
	}
}

// insert inserts records, of which the generation has room for all, and appends their outcomes.
func (c *crew) insert(dst []outcome, batch []Key) []outcome {
	c.batch = batch
	c.busy.Add(len(c.members))
	for _, m := range c.members {
		m.start <- struct{}{}
	}
	c.busy.Wait()
	for i := range len(batch) / c.generation.bands {
		o := outcome(0)
		for _, m := range c.members {
			o |= m.outcomes[i]
		}
		dst = append(dst, o)
	}
	return dst
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
		x.crew = newCrew(x.generations[0], workers)
	}
}

// ObserveBatch is Observe for several records, one after the other: it sets duplicates[i] for record i, of which there are
// len(duplicates). Before an error it has observed the first so many of them.
func (x *Index) ObserveBatch(keys []Key, duplicates []bool) (observed int, err error) {
	return x.observeBatch(keys, duplicates, nil)
}

// observeBatch is ObserveBatch that hands the keys of each record that changed the index to changed, if that is not nil.
func (x *Index) observeBatch(keys []Key, duplicates []bool, changed func(keys []Key) error) (observed int, err error) {
	bands := x.params.Bands
	x.outcomes = x.outcomes[:0]
	if x.crew != nil && len(keys) == len(duplicates)*bands && x.hasRoom(uint64(len(duplicates))) {
		x.current().enlarge(uint64(len(duplicates)) * hugePage)
		x.outcomes = x.crew.insert(x.outcomes, keys)
	}
	for i := range duplicates {
		own := keys[:min(bands, len(keys))]
		var o outcome
		if len(x.outcomes) > 0 {
			o = x.outcomes[i]
			x.countInserted(o)
		} else {
			duplicate, isNew, err := x.observe(own)
			if err != nil {
				return i, err
			}
			o = outcomeOf(duplicate, isNew)
		}
		duplicates[i] = o&isDuplicate != 0
		if o&hasChanged != 0 && changed != nil {
			if err := changed(own); err != nil {
				return i, err
			}
		}
		keys = keys[bands:]
	}
	return len(duplicates), nil
}

// hasRoom reports whether so many records can be inserted without a thought about generations: there is one, and it will not be full.
func (x *Index) hasRoom(records uint64) bool {
	return len(x.generations) == 1 && x.current().inserted+records <= x.current().capacity
}

// countInserted counts a record that the crew has inserted.
func (x *Index) countInserted(o outcome) {
	if o&hasChanged != 0 {
		x.current().inserted++
	}
	x.count(o&isDuplicate != 0)
}
