package bloomlsh

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// An early record is one whose time is ahead of the current window of an index with a clock. It is
// compared with the generations that its own time reaches back to. Its keys are kept aside until it
// is known which window the record belongs to, and then inserted into that window. Until then, all
// records are also compared with these keys.

// maxEarlyBands limits the bands of an index with a clock, since commits contain the keys of early
// records.
const maxEarlyBands = 1024

// observeTimed is like observe for records with times.
func (x *Index) observeTimed(r records, votes []uint16, changed func(keys []Key) error) (observed int, err error) {
	bands, length, start := x.params.Bands, x.params.windowSeconds(), 0
	observeUntil := func(end int) error {
		observed, err := x.judge.observe(r.part(start, end, bands), votes[start:end], changed)
		start += observed
		return err
	}
	for i, second := range r.times {
		window := windowclock.Of(second, length)
		isEarly := x.clock.IsEarly(window)
		if !isEarly && len(x.clock.Early) == 0 {
			continue
		}
		if err := observeUntil(i); err != nil {
			return start, err
		}
		one := r.part(i, i+1, bands)
		if isEarly {
			err = x.observeEarly(window, one, &votes[i])
		} else {
			one.beside = x.besideEarly(one, windowclock.None)
			_, err = x.judge.observe(one, votes[i:i+1], changed)
		}
		if err != nil {
			return start, err
		}
		start++
		if err := x.tell(window, isEarly, one.keys, votes[i], changed); err != nil {
			return start, err
		}
	}
	return start, observeUntil(len(votes))
}

// observeEarly observes one early record, but does not store its keys.
func (x *Index) observeEarly(window int64, r records, votes *uint16) error {
	oldest := windowclock.Oldest(window, x.params.KeepGenerations)
	found := x.besideEarly(r, oldest)
	if err := x.reachBack(oldest, func() error { return x.lookup(r.keys, found) }); err != nil {
		return err
	}
	*votes = found.Votes(0)
	x.counts.add(int(*votes), 1, int(*votes) >= x.params.Votes)
	return nil
}

// tell tells the clock of an observed record, and does what follows from that.
func (x *Index) tell(window int64, isEarly bool, keys []Key, votes uint16, changed func(keys []Key) error) error {
	if !isEarly {
		return x.settle(x.clock.Pass(window), changed)
	}
	e := windowclock.Early{Window: window}
	if x.params.Remember == RememberAll || int(votes) < x.params.Votes { // otherwise it is not remembered
		e.Sketch = wordsOfKeys(keys)
	}
	settled, begins := x.clock.Advance(e, x.params.KeepGenerations)
	if begins {
		if err := x.openWindow(); err != nil {
			return err
		}
	}
	return x.settle(settled, changed)
}

// besideEarly returns the answers of other indexes about one record, combined with those of the
// early records in windows from oldest on.
func (x *Index) besideEarly(r records, oldest int64) *Answers {
	all := &Answers{bands: x.params.Bands}
	if r.beside != nil {
		all.present, all.votes = slices.Clone(r.beside.present), slices.Clone(r.beside.votes)
	}
	x.lookupEarly(r.keys, oldest, all)
	return all
}

// lookupEarly adds the answers of early records in windows from oldest on.
func (x *Index) lookupEarly(keys []Key, oldest int64, to *Answers) {
	bands := x.params.Bands
	for i := range len(keys) / bands {
		for _, e := range x.clock.Early {
			if e.Window >= oldest && e.Sketch != nil {
				x.lookupIn(e, keys[i*bands:(i+1)*bands], i, len(keys)/bands, to)
			}
		}
	}
}

// lookupIn adds what an early record answers about record i.
func (x *Index) lookupIn(e windowclock.Early, keys []Key, i, records int, to *Answers) {
	votes := uint16(0)
	for band, key := range keys {
		if e.Sketch[2*band] != key.Hi || e.Sketch[2*band+1] != key.Lo {
			continue
		}
		if votes++; !x.IsTagged() {
			to.Present(records)[i*len(keys)+band] = true
		}
	}
	if x.IsTagged() {
		all := to.GroupVotes(records)
		all[i] = max(all[i], votes)
	}
}

// reach returns the oldest window that a record made in that second is compared with.
func (x *Index) reach(second int64) int64 {
	return x.clock.Reach(windowclock.Of(second, x.params.windowSeconds()), x.params.KeepGenerations)
}

// lookupFrom is Lookup for records that are compared with windows from oldest on.
func (x *Index) lookupFrom(oldest int64, keys []Key, to *Answers) error {
	x.lookupEarly(keys, oldest, to)
	return x.reachBack(oldest, func() error { return x.lookup(keys, to) })
}

// reachBack hides generations of windows before oldest from work. If none are left, it does not
// call work.
func (h *history) reachBack(oldest int64, work func() error) error {
	n := 0
	for n < len(h.generations) && h.generations[n].window < oldest {
		n++
	}
	if n == len(h.generations) {
		return nil
	}
	all := h.generations
	h.generations = all[n:]
	err := work()
	h.generations = all
	return err
}

// settle inserts records that were early into the current window.
func (x *Index) settle(settled []windowclock.Early, changed func(keys []Key) error) error {
	for _, e := range settled {
		if e.Sketch == nil {
			continue
		}
		if err := x.enter(keysOfWords(e.Sketch), changed); err != nil {
			return err
		}
	}
	return nil
}

// enter inserts a record whose votes are already counted, or do not count. It does not affect
// foreseen records.
func (x *Index) enter(keys []Key, changed func(keys []Key) error) error {
	foreseen := *x.onDisk
	x.onDisk.forgetAll()
	x.enters = true
	var votes [1]uint16
	_, err := x.judge.observe(records{keys: keys}, votes[:], changed)
	x.enters = false
	*x.onDisk = foreseen
	return err
}

func wordsOfKeys(keys []Key) []uint64 {
	words := make([]uint64, 0, 2*len(keys))
	for _, key := range keys {
		words = append(words, key.Hi, key.Lo)
	}
	return words
}

func keysOfWords(words []uint64) []Key {
	keys := make([]Key, len(words)/2)
	for i := range keys {
		keys[i] = Key{Hi: words[2*i], Lo: words[2*i+1]}
	}
	return keys
}
