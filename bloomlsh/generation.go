package bloomlsh

import "errors"

// generation is one array of filters and the count of the records in it.
type generation struct {
	geometry
	filter   filter    // laid over words; or the table, as long as there is one
	table    *keyTable // of the first records, of which nothing is in words
	words    []uint64
	inserted uint64
}

func newGeneration(plan geometry) (*generation, error) {
	words, err := allocate(plan.words())
	if err != nil {
		return nil, err
	}
	enlarge(words)
	g := &generation{geometry: plan, words: words}
	if plan.tableWords() == 0 {
		g.filter = newFilter(plan, words)
		return g, nil
	}
	if g.table, err = newKeyTable(plan); err != nil {
		return nil, errors.Join(err, release(words))
	}
	g.filter = g.table
	return g, nil
}

// add inserts the keys of a record that nobody asks about.
func (g *generation) add(keys []Key) {
	g.makeRoom(1)
	g.filter.add(keys)
}

// makeRoom leaves the table if it cannot take so many records more.
func (g *generation) makeRoom(records int) {
	if g.table != nil && !g.table.hasRoom(records) {
		g.leaveTable()
	}
}

// leaveTable brings what is in the table, if there is one still, to words.
func (g *generation) leaveTable() {
	if g.table == nil {
		return
	}
	g.filter = newFilter(g.geometry, g.words)
	g.table.moveTo(g.words)
	_ = g.table.close() // it fails only for memory that is not the table's
	g.table = nil
}

func (g *generation) full() bool { return g.inserted >= g.capacity }

func (g *generation) close() error {
	var err error
	if g.table != nil {
		err = g.table.close()
	}
	return errors.Join(err, release(g.words))
}
