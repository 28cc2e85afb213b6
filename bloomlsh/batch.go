package bloomlsh

import (
	"fmt"
	"math/bits"
	"slices"
)

// A bandSet is a set of bands, a bit for each.
type bandSet []uint64

// setWords is the length of a bandSet.
func setWords(bands int) int { return (bands + 63) / 64 }

func (s bandSet) has(band int) bool { return s[band/64]>>(band%64)&1 != 0 }

func (s bandSet) put(band int) { s[band/64] |= 1 << (band % 64) }

// fill makes the set that of all bands.
func (s bandSet) fill(bands int) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	if beyond := bands % 64; beyond != 0 {
		s[len(s)-1] = 1<<beyond - 1
	}
}

func (s bandSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// anyIn reports whether any of the bands from … to-1 is in the set.
func (s bandSet) anyIn(from, to int) bool {
	for band := from; band < to; {
		word, start := band/64, band%64
		end := min(64, start+to-band)
		if s[word]>>start<<(64-(end-start)) != 0 {
			return true
		}
		band += end - start
	}
	return false
}

// A batch is the band keys of several records. One goroutine looks after the bands from … to-1 of
// each record.
type batch struct {
	keys     []Key
	bands    int // of a record
	from, to int
	older    []uint64    // the bands of each record that older generations have, as bandSets; nil if there are none
	spreads  []keySpread // room for keys that several paged filters are asked about, or nil
	mask     uint64      // of these
	renew    bool        // what older generations have is inserted too, since they will be forgotten
	scratch  bandSet     // of the goroutine
}

func (b batch) record(i int) []Key { return b.keys[i*b.bands+b.from : i*b.bands+b.to] }

// records are the records of the batch from one to before another.
func (b batch) records(from, to int) batch {
	b.keys = b.keys[from*b.bands : to*b.bands]
	if words := setWords(b.bands); b.older != nil {
		b.older = b.older[from*words : to*words]
	}
	if b.spreads != nil {
		b.spreads = b.spreads[from*b.bands : to*b.bands]
	}
	return b
}

// askOlder adds the bands whose key is in any of the generations, but those on disk, to the sets of
// the records, and says of the outcomes which of them are copied. It spreads the keys, for these
// generations and the last one.
func (b batch) askOlder(generations []*generation, outcomes []outcome) {
	if b.spreads != nil {
		spreadAll(b.spreads, b.keys, b.mask)
	}
	for _, g := range generations {
		if g.stored == nil {
			g.filter.look(outcomes, b)
		}
	}
}

// seen is the set of bands of record i that older generations have. It is nil if there are none.
func (b batch) seen(i int) bandSet {
	if b.older == nil {
		return nil
	}
	words := setWords(b.bands)
	return b.older[i*words : (i+1)*words]
}

// seenHere is seen if any of the bands at hand is in it, else nil.
func (b batch) seenHere(i int) bandSet {
	if s := b.seen(i); s != nil && s.anyIn(b.from, b.to) {
		return s
	}
	return nil
}

// An outcome is what inserting a record into a generation has come to.
type outcome struct {
	votes   uint16 // bands whose key was in this generation, and in none before
	changed bool   // a key was not there
	copied  bool   // all keys are in an older generation, and there is nothing to insert
}

// Observe asks about several records and remembers them, one after the other. keys holds the band
// keys of len(votes) records. votes[i] becomes the number of bands of record i whose key an earlier
// record had in the same band; the record is a duplicate if there are at least Params.Votes of
// them.
//
// It returns how many of the first records it has observed: all, or fewer if there is an error
// (ErrFull, ErrMemory, a wrong number of keys). It does not keep keys.
func (x *Index) Observe(keys []Key, votes []uint16) (observed int, err error) {
	return x.ObserveAt(nil, nil, keys, votes)
}

// ObserveBeside is Observe for records about which other indexes have been asked before. The votes
// are the same as if all indexes were one.
func (x *Index) ObserveBeside(beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return x.ObserveAt(nil, beside, keys, votes)
}

// ObserveAt is ObserveBeside for records with times, in seconds since any moment that is always the
// same: Params.ForgetAfter goes by them. Times and beside may be nil.
func (x *Index) ObserveAt(times []int64, beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return x.observe(records{times, beside, keys}, votes, nil)
}

// records are what ObserveAt is given of some of them.
type records struct {
	times  []int64
	beside *Answers
	keys   []Key
}

// part is the records from one to before another, without their times.
func (r records) part(from, to, bands int) records {
	return records{beside: r.beside.part(from, to), keys: r.keys[from*bands : to*bands]}
}

// observe hands the keys of each record that changed the index to changed, if that is not nil.
func (x *Index) observe(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	if err := x.checkKeys(len(r.keys), len(votes)); err != nil {
		return 0, err
	}
	if !r.beside.fit(len(votes), x.params.Bands) {
		return 0, fmt.Errorf("the answers of other indexes are not about these %d records", len(votes))
	}
	if !x.params.hasClock() || r.times == nil {
		return x.observeNow(r, votes, changed)
	}
	if len(r.times) != len(votes) {
		return 0, fmt.Errorf("%d times are given for %d records", len(r.times), len(votes))
	}
	bands, start := x.params.Bands, 0
	for i, second := range r.times {
		before := x.clock.Window
		if !x.tell(second) {
			continue
		}
		entered := x.clock.Window
		x.clock.Window = before // of the records up to here, which may need another generation
		observed, err := x.observeNow(r.part(start, i, bands), votes[start:i], changed)
		x.clock.Window = entered
		if err == nil {
			err = x.enterWindow()
		}
		if err != nil {
			return start + observed, err
		}
		start = i
	}
	observed, err = x.observeNow(r.part(start, len(votes), bands), votes[start:], changed)
	return start + observed, err
}

// observeNow is observe for records of the window at hand.
func (x *Index) observeNow(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	if x.groups != nil {
		return x.observeGroups(r, votes, changed)
	}
	large := x.large()
	defer func() { x.settled = large > 0 && x.large() == large }()
	bands, keys := x.params.Bands, r.keys
	together := r.beside == nil && x.hasRoom(uint64(len(votes)))
	if together {
		if err := x.insertBatch(keys, votes); err != nil {
			return 0, err
		}
	}
	for i := range votes {
		own := keys[i*bands : (i+1)*bands]
		var isNew bool
		if together {
			isNew = x.outcomes[i].changed
			x.countInserted(isNew, int(votes[i]))
		} else {
			if votes[i], isNew, err = x.observeOne(own, r.beside.part(i, i+1)); err != nil {
				return i, err
			}
		}
		if isNew && changed != nil {
			if err := changed(own); err != nil {
				return i, err
			}
		}
	}
	return len(votes), nil
}

// hasRoom reports whether the given number of records can be inserted without a new generation,
// even if none of their keys is present.
func (x *Index) hasRoom(records uint64) bool {
	return x.params.Remember == RememberAll && x.current().inserted+records <= x.current().capacity
}

// insertBatch inserts records, of which there is room for all, and leaves their outcomes.
func (x *Index) insertBatch(keys []Key, votes []uint16) error {
	b := batch{keys: keys, bands: x.params.Bands, to: x.params.Bands, renew: x.params.forgets()}
	x.outcomes = slices.Grow(x.outcomes[:0], len(votes))[:len(votes)]
	clear(x.outcomes)
	if len(x.generations) > 1 {
		n := len(votes) * setWords(b.bands)
		x.olderSets = slices.Grow(x.olderSets[:0], n)[:n]
		clear(x.olderSets)
		b.older, b.scratch = x.olderSets, x.seen
		if x.params.Filter == FilterPaged {
			x.spreads = slices.Grow(x.spreads[:0], len(keys))[:len(keys)]
			b.spreads, b.mask = x.spreads, maskOf(x.params.PageSeed)
		}
		if err := x.lookAll(keys, b.older, func(i int) { x.outcomes[i].copied = !b.renew }); err != nil {
			return err
		}
	}
	x.pass(len(votes))
	current := x.current()
	current.makeRoom(len(x.outcomes))
	if crew := x.helpers(); crew != nil {
		crew.observe(x.outcomes, b)
	} else {
		b.askOlder(x.older(), x.outcomes)
		current.filter.insert(x.outcomes, b)
	}
	for i, o := range x.outcomes {
		votes[i] = o.votes
		if s := b.seen(i); s != nil {
			votes[i] += uint16(s.count())
		}
	}
	return nil
}

// countInserted counts a record of insertBatch.
func (x *Index) countInserted(changed bool, votes int) {
	if changed {
		x.current().inserted++
	}
	x.count(votes)
}

// inOlder adds to a set the bands whose key is in any of the generations in memory, and reports
// whether a single generation has the keys of all bands.
func inOlder(generations []*generation, keys []Key, to bandSet) (copied bool) {
	for _, g := range generations {
		if g.stored != nil {
			continue
		}
		if g.filter.contains(keys, 0, to) == len(keys) {
			return true
		}
	}
	return false
}
