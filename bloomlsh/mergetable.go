package bloomlsh

import (
	"errors"
	"fmt"
)

// Two tables that double are merged by doubling the smaller one until both have the same pages.

// addTable adds the index in a directory, whose table doubles.
func (u *union) addTable(env environment, d *directory) (err error) {
	x, _, err := d.load(env, 0)
	if err != nil {
		return err
	}
	u.index.observed += x.observed
	u.index.duplicates += x.duplicates
	if len(u.index.generations) == 0 {
		u.index.generations, x.generations = x.generations, nil
		return nil
	}
	lost, err := u.index.unite(x)
	if err == nil && lost > 0 {
		err = fmt.Errorf("%s: pages have no room for %d entries: plan a larger capacity", d.Path(), lost)
	}
	return errors.Join(err, x.Close())
}

// unite adds the entries of another index, which must not be used afterwards. It returns the number
// of entries for which there was no space. A record that both contain counts twice.
func (x *Index) unite(other *Index) (lost int, err error) {
	a, b := x.current(), other.current()
	inserted := a.inserted + b.inserted
	if err := errors.Join(x.doubleTo(inserted), other.doubleTo(inserted)); err != nil {
		return 0, err
	}
	a.inserted = inserted
	return a.tags.addAll(0, b.words), nil
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
