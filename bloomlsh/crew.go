package bloomlsh

import (
	"runtime"
	"sync"
)

// A crew is a group of goroutines that observe a batch. First each looks up some of the records in
// the older generations; then each inserts some of the bands into the last one. Under RememberAll
// every key is inserted regardless of the other bands, so the result for a record does not depend
// on how far the work on other bands has come.
type crew struct {
	generations int // number of generations when it was created
	members     []*member
	batch       batch     // the current batch
	outcomes    []outcome // outcomes of its records
	busy        sync.WaitGroup
}

// A member has its own filter structures, since these contain scratch memory. It handles the bands
// from … to-1 of the last generation, which form a smaller filter by themselves.
type member struct {
	crew     *crew
	number   int // counted from 0
	older    []*generation
	from, to int
	filter   filter
	outcomes []outcome // outcomes of the current records for its bands
	scratch  bandSet
	start    chan func(*member)
}

// newCrew divides the work on generations among that many goroutines, which wait for work until
// stop is called. The first records of every generation must have left the small filters.
func newCrew(generations []*generation, workers int) *crew {
	c := &crew{generations: len(generations)}
	older, last := generations[:len(generations)-1], generations[len(generations)-1]
	for w := range workers {
		m := &member{crew: c, number: w, from: last.bands * w / workers, to: last.bands * (w + 1) / workers,
			start: make(chan func(*member), 1)}
		m.scratch = make(bandSet, setWords(last.bands))
		for _, g := range older {
			if g.stored != nil {
				continue
			}
			m.older = append(m.older, &generation{geometry: g.geometry, words: g.words,
				filter: newFilter(g.geometry, g.words)})
		}
		m.filter = newPart(last.geometry, last.words, m.from, m.to)
		c.members = append(c.members, m)
		go func() {
			for work := range m.start {
				work(m)
				c.busy.Done()
			}
		}()
	}
	return c
}

// observe observes the records of a batch and stores their outcomes. The records must fit into the
// last generation.
func (c *crew) observe(outcomes []outcome, b batch) {
	c.outcomes, c.batch = outcomes, b
	if c.generations > 1 {
		c.share((*member).lookup)
	}
	c.share((*member).insert)
	for _, m := range c.members {
		for i, o := range m.outcomes {
			outcomes[i].votes += o.votes
			outcomes[i].changed = outcomes[i].changed || o.changed
		}
	}
}

// share makes all members do some work, and waits for them.
func (c *crew) share(work func(*member)) {
	c.busy.Add(len(c.members))
	for _, m := range c.members {
		m.start <- work
	}
	c.busy.Wait()
}

// lookup looks up the member's share of the records in the older generations.
func (m *member) lookup() {
	all, workers := m.crew.outcomes, len(m.crew.members)
	from, to := len(all)*m.number/workers, len(all)*(m.number+1)/workers
	m.crew.batch.records(from, to).lookupOlder(m.older, all[from:to])
}

// insert inserts the records into the member's bands.
func (m *member) insert() {
	part := m.crew.batch
	part.from, part.to, part.scratch = m.from, m.to, m.scratch
	m.outcomes = append(m.outcomes[:0], m.crew.outcomes...)
	m.filter.insert(m.outcomes, part)
}

// stop ends the goroutines. They must be idle.
func (c *crew) stop() {
	for _, m := range c.members {
		close(m.start)
	}
}

// cores are the processors used for work that everything waits for.
type cores struct {
	count int
	wide  func(work func())
}

// defaultCores are the processors that the process may use when it starts.
var defaultCores = cores{runtime.GOMAXPROCS(0), func(work func()) { work() }}

// A team creates the crew when there is work for it.
type team struct {
	workers int   // number of goroutines that observe a batch together
	crew    *crew // nil until it is needed
}

// helpers returns the crew for generations. It returns nil if there are no workers, or if the first
// records of the last generation are still in small filters.
func (t *team) helpers(generations []*generation) *crew {
	if t.workers < 2 || generations[len(generations)-1].first != nil {
		return nil
	}
	if t.crew == nil || t.crew.generations != len(generations) {
		t.dismiss()
		t.crew = newCrew(generations, t.workers)
	}
	return t.crew
}

// dismiss ends the goroutines of the crew, if there is one.
func (t *team) dismiss() {
	if t.crew != nil {
		t.crew.stop()
		t.crew = nil
	}
}
