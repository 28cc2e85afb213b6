package bloomlsh

import (
	"errors"
	"fmt"
)

// Index is the set of band keys seen so far. It is not safe for concurrent use: one goroutine owns it.
type Index struct {
	params      Params
	generations []*generation // the last one takes insertions, the others are only asked
	observed    uint64
	duplicates  uint64
	memory      memoryGauge

	workers  int       // goroutines that observe a batch together, if there are several
	crew     *crew     // what they are, or nil
	outcomes []outcome // of the batch at hand
}

// New returns an empty index. It fails with ErrMemory if its first generation needs more than 80 % of the available memory.
func New(p Params) (*Index, error) {
	return newIndex(p, availableMemory)
}

func newIndex(p Params, memory memoryGauge) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	g, err := memory.plan(p)
	if err != nil {
		return nil, err
	}
	x := &Index{params: p, memory: memory}
	if err := x.addChecked(g); err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Index) addGeneration(g geometry) error {
	if err := x.memory.check(g.memory(), len(x.generations)+1); err != nil {
		return err
	}
	return x.addChecked(g)
}

// addChecked adds a generation for which there is memory.
func (x *Index) addChecked(g geometry) error {
	added, err := newGeneration(g)
	if err == nil {
		x.generations = append(x.generations, added)
	}
	return err
}

// Observe reports whether the record resembles an earlier one, and then remembers it, as Params.Remember says. If it returns an
// error (ErrFull, ErrMemory, a wrong number of keys), nothing was inserted and the record does not count as observed.
func (x *Index) Observe(keys []Key) (duplicate bool, err error) {
	duplicate, _, err = x.observe(keys)
	return duplicate, err
}

// observe is Observe that also reports whether the keys changed the index: the keys of those records are what the log on disk
// is made of.
func (x *Index) observe(keys []Key) (duplicate, changed bool, err error) {
	if len(keys) != x.params.Bands {
		return false, false, fmt.Errorf("a record has %d band keys, the index has %d bands", len(keys), x.params.Bands)
	}
	any, all := inAny(x.older(), keys)
	if x.current().full() && !all {
		inCurrent, allInCurrent := x.current().filter.contains(keys)
		any, all = any || inCurrent, allInCurrent
		if !x.needless(any, all) {
			if err := x.grow(); err != nil {
				return false, false, err
			}
		}
	}
	if x.needless(any, all) {
		x.count(true)
		return true, false, nil
	}
	current := x.current()
	current.makeRoom(1)
	if x.params.Remember == RememberAll {
		present, new := current.filter.add(keys)
		duplicate, changed = any || present, new
	} else {
		duplicate = current.filter.addAbsent(keys)
		changed = !duplicate
	}
	if changed {
		current.inserted++
	}
	x.count(duplicate)
	return duplicate, changed, nil
}

// needless reports whether a record of which any or all keys are present is not inserted: copies take no room.
func (x *Index) needless(any, all bool) bool {
	return all || any && x.params.Remember == RememberUnseen
}

// Query reports whether the record resembles one that was inserted. It changes nothing. It panics if there are more keys than
// bands.
func (x *Index) Query(keys []Key) bool {
	older, _ := inAny(x.older(), keys)
	if older {
		return true
	}
	current, _ := x.current().filter.contains(keys)
	return current
}

// Close gives the memory back. The index cannot be used after it.
func (x *Index) Close() error {
	x.dismiss()
	var errs []error
	for _, g := range x.generations {
		errs = append(errs, g.close())
	}
	x.generations = nil
	return errors.Join(errs...)
}

func (x *Index) current() *generation { return x.generations[len(x.generations)-1] }

func (x *Index) older() []*generation { return x.generations[:len(x.generations)-1] }

func (x *Index) count(duplicate bool) {
	x.observed++
	if duplicate {
		x.duplicates++
	}
}

// inAny reports whether any key is present in any of the generations, and whether all are, in one of them.
func inAny(generations []*generation, keys []Key) (any, all bool) {
	for _, g := range generations {
		anyHere, allHere := g.filter.contains(keys)
		any = any || anyHere
		if allHere {
			return true, true
		}
	}
	return any, false
}

// grow opens the next generation. It depends on the count of inserted records alone, so that a run can be repeated exactly.
func (x *Index) grow() error {
	if x.params.OnFull == OnFullRefuse {
		return fmt.Errorf("%w: it holds the %d records that it was planned for: plan a larger capacity, or let it grow", ErrFull, x.params.Capacity)
	}
	return x.addGeneration(planGeneration(x.params, len(x.generations)))
}
