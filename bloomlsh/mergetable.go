package bloomlsh

import (
	"errors"
	"fmt"
)

// addTables adds the index in a directory, which is tagged.
func (u *union) addTables(env environment, d *directory) error {
	x, _, err := d.load(env, 0)
	if err != nil {
		return err
	}
	u.index.observed += x.observed
	u.index.duplicates += x.duplicates
	if d.params.doubles() {
		err = u.addDoubling(x, d.Path())
	} else {
		err = u.addGenerations(x)
	}
	return errors.Join(err, x.Close())
}

// addDoubling adds an index whose table doubles. The smaller one of two tables is doubled until
// both have the same pages.
func (u *union) addDoubling(x *Index, path string) error {
	if len(u.index.generations) == 0 {
		u.index.generations, x.generations = x.generations, nil
		return nil
	}
	lost, err := u.index.unite(x)
	switch {
	case err != nil:
		return err
	case lost > 0:
		return fmt.Errorf("%s: pages have no room for %d entries: plan a larger capacity", path, lost)
	}
	return u.index.checkUnited(path)
}

// addGenerations adds an index of several generations, none of which doubles.
func (u *union) addGenerations(x *Index) error {
	before := uint64(0)
	for _, n := range u.inserted {
		before += n
	}
	for i, g := range x.generations {
		if err := u.selectGeneration(i+1, g.geometry); err != nil {
			return err
		}
		to := u.index.generations[i]
		to.moveFirst()
		g.moveFirst()
		if lost := to.tags.unite(g.words, before); lost > 0 {
			return fmt.Errorf("%s: a page of generation %d has no room for all entries: build the indexes with a "+
				"larger capacity", u.from, i+1)
		}
		u.inserted[i] += g.inserted
	}
	return nil
}

// checkUnited returns an error if a table that was merged from several errs more often than
// promised. The entries of a stream lose one bit of their print whenever it doubles in length, so
// that most have lost few; those of small tables that are merged have all lost many.
func (x *Index) checkUnited(added string) error {
	g, p := x.current(), x.params
	rate := g.tags.met() / float64(g.tags.tags())
	if left := plannedDoublings - min(plannedDoublings, g.doublings); left > 0 { // it will grow
		rate += g.layout().strayRate(float64(g.capacity)/2*float64(left), g.bandWords)
	}
	if wrong := p.wrongRate(rate); wrong > p.FPRate && rate > g.bandRate(float64(g.inserted)) {
		return fmt.Errorf("with %s, the union of tables planned for %d records would remove %.2g of all unseen "+
			"records, more than the %.2g promised: build each index with a capacity of at least %d, or compare "+
			"with each of them (--against)", added, p.Capacity, wrong, p.FPRate, g.inserted)
	}
	return nil
}

// unite adds the entries of another index, which must not be used afterwards. It returns the number
// of entries for which there was no space. A record that both contain counts twice.
func (x *Index) unite(other *Index) (lost int, err error) {
	a, b := x.current(), other.current()
	before, inserted := a.inserted, a.inserted+b.inserted
	if err := errors.Join(x.doubleTo(inserted), other.doubleTo(inserted)); err != nil {
		return 0, err
	}
	a.inserted = inserted
	return a.tags.unite(b.words, before), nil
}

// doubleTo doubles a table as if it held that many records, at least as many as it does.
func (x *Index) doubleTo(records uint64) error {
	g := x.current()
	g.moveFirst()
	for g.capacity < records {
		if err := x.double(); err != nil {
			return err
		}
	}
	g.tags.divideTo(g.undivided(records))
	return nil
}
