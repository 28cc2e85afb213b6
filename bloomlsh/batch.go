package bloomlsh

import "slices"

// A batch is the band keys of several records, of which somebody looks after the bands from … to-1.
type batch struct {
	keys     []Key
	bands    int // of a record
	from, to int
}

func (b batch) record(i int) []Key { return b.keys[i*b.bands+b.from : i*b.bands+b.to] }

// An outcome is what inserting a record has come to.
type outcome uint8

const (
	isDuplicate outcome = 1 << iota // a key was present
	hasChanged                      // a key was not
	isCopy                          // all keys are in an older generation: there is nothing to insert
)

// olderOutcome is that of a record of which older generations have any or all keys, before it is inserted.
func olderOutcome(any, all bool) (o outcome) {
	if any {
		o |= isDuplicate
	}
	if all {
		o |= isCopy
	}
	return o
}

func outcomeOf(duplicate, changed bool) (o outcome) {
	if duplicate {
		o |= isDuplicate
	}
	if changed {
		o |= hasChanged
	}
	return o
}

// ObserveBatch is Observe for several records, one after the other: it sets duplicates[i] for record i, of which there are
// len(duplicates). Before an error it has observed the first so many of them.
func (x *Index) ObserveBatch(keys []Key, duplicates []bool) (observed int, err error) {
	return x.observeBatch(keys, duplicates, nil)
}

// observeBatch is ObserveBatch that hands the keys of each record that changed the index to changed, if that is not nil.
func (x *Index) observeBatch(keys []Key, duplicates []bool, changed func(keys []Key) error) (observed int, err error) {
	bands := x.params.Bands
	together := len(keys) == len(duplicates)*bands && x.hasRoom(uint64(len(duplicates)))
	if together {
		x.insertBatch(keys)
	}
	for i := range duplicates {
		own := keys[:min(bands, len(keys))]
		var o outcome
		if together {
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

// hasRoom reports whether so many records can be inserted whatever is present of them, and without a new generation.
func (x *Index) hasRoom(records uint64) bool {
	return x.params.Remember == RememberAll && x.current().inserted+records <= x.current().capacity
}

// insertBatch inserts records, of which there is room for all, and leaves their outcomes.
func (x *Index) insertBatch(keys []Key) {
	b := batch{keys: keys, bands: x.params.Bands, to: x.params.Bands}
	x.outcomes = slices.Grow(x.outcomes[:0], len(keys)/b.bands)[:len(keys)/b.bands]
	clear(x.outcomes)
	current := x.current()
	current.makeRoom(len(x.outcomes))
	if crew := x.helpers(); crew != nil {
		crew.observe(x.outcomes, b)
		return
	}
	for i := range x.outcomes {
		x.outcomes[i] = olderOutcome(inAny(x.older(), b.record(i)))
	}
	current.filter.insert(x.outcomes, b)
}

// countInserted counts a record of insertBatch.
func (x *Index) countInserted(o outcome) {
	if o&hasChanged != 0 {
		x.current().inserted++
	}
	x.count(o&isDuplicate != 0)
}
