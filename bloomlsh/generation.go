package bloomlsh

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// A generation is an array of filters and the number of records in it.
type generation struct {
	geometry
	filter    filter        // over words, or the same as first until that is given up
	first     *firstRecords // the first records, until they move to words
	tags      *tagTable     // replaces filter in a tagged index
	firstTags *firstTags    // the first entries, until they move to tags
	words     []uint64
	inserted  uint64
	stored    *storedFilter // filter, if that is on disk; then words is empty
	window    int64         // window of a clock, or windowclock.None
	cores     cores
}

// newGeneration allocates a generation of an index in which the given number of votes makes a
// duplicate.
func newGeneration(plan geometry, votes int, use cores) (*generation, error) {
	words, err := allocate(plan.words())
	if err != nil {
		return nil, err
	}
	g := &generation{geometry: plan, words: words, window: windowclock.None, cores: use}
	if plan.isTagged() {
		if err := g.newTagged(); err != nil {
			return nil, errors.Join(err, offheap.Release(words))
		}
		return g, nil
	}
	if g.first, err = newFirstRecords(plan, votes); err != nil {
		return nil, errors.Join(err, offheap.Release(words))
	}
	if g.first != nil {
		g.filter = g.first
	} else {
		g.filter = newFilter(plan, words)
	}
	return g, nil
}

// add inserts the keys of a record without checking whether they were seen.
func (g *generation) add(keys []Key) {
	g.ensureCapacity(1)
	g.filter.add(keys)
}

// ensureCapacity switches to the large filters if the small ones have no space for that many more
// records.
func (g *generation) ensureCapacity(records int) {
	if g.first != nil && !g.first.hasRoom(records) {
		g.moveFirst()
	}
}

// moveFirst moves the first records to words, unless that has been done.
func (g *generation) moveFirst() {
	g.moveFirstTags()
	if g.first == nil {
		return
	}
	g.filter = newFilter(g.geometry, g.words)
	g.cores.wide(func() { g.first.moveTo(g.words, g.cores.count) })
	_ = g.first.close() // fails only for memory that it does not own
	g.first = nil
}

func (g *generation) full() bool { return g.inserted >= g.capacity }

// store replaces the filters in memory by those in a file.
func (g *generation) store(base *baseFile) error {
	words := g.words
	g.stored = &storedFilter{geometry: g.geometry, base: base}
	g.filter, g.words, g.tags = g.stored, nil, nil
	return offheap.Release(words)
}

// newStored returns a generation whose filters stay in their file.
func newStored(plan geometry, base *baseFile) *generation {
	stored := &storedFilter{geometry: plan, base: base}
	return &generation{geometry: plan, filter: stored, stored: stored, inserted: base.inserted,
		window: windowclock.None}
}

func (g *generation) close() error {
	if g.stored != nil {
		return g.stored.base.Close()
	}
	var err error
	if g.first != nil {
		err = g.first.close()
	}
	return errors.Join(err, g.closeTags(), offheap.Release(g.words))
}
