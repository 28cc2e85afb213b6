package filters

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
)

// If the keys of a run can be read several times, and it inserts none of them, the indexes that it
// searches need not be in memory together: each is opened, searched for all keys, and closed. The
// results are kept, so that votes are counted as if all were open: a bit for each key that a Bloom
// filter has, and the votes of each record in tagged indexes.

// earlierVotes holds the results of searching indexes for the keys of a run, which reads them in
// order.
type earlierVotes struct {
	bands   int
	bits    []uint64
	votes   []uint16
	records int // with results
	taken   int
	stats   []IndexStats
	usage   bloomlsh.Usage
}

// errOtherKeys says that a second reading of a file gave other keys.
var errOtherKeys = errors.New("the sketch files, or the flags, have changed while they were read: give the command " +
	"again")

// queryEach searches the indexes for all keys, one after the other.
func (s *Memory) queryEach(
	dirs []string, kind identity.KeyKind, eachKey func(do func(keys []bloomlsh.Key) error) error,
) (a earlierVotes, err error) {
	a.bands = kind.Bands
	for i, dir := range dirs {
		r, err := bloomlsh.OpenReadOnlyIn(s.share, dir, kind.Bands, kind.Kept())
		if err != nil {
			return a, err
		}
		if err := a.query(r, i == 0, eachKey); err != nil {
			return a, errors.Join(err, r.Close())
		}
		u := r.Usage()
		a.usage.Inserted += u.Inserted
		a.usage.Capacity += u.Capacity
		a.usage.Bytes = max(a.usage.Bytes, u.Bytes)
		a.stats = append(a.stats, Describe(r.Stats()))
		if err := r.Close(); err != nil {
			return a, err
		}
	}
	return a, nil
}

// query searches one index for all keys. The first call determines their number.
func (a *earlierVotes) query(
	r *bloomlsh.Reader, isFirst bool, eachKey func(do func(keys []bloomlsh.Key) error) error,
) error {
	var all bloomlsh.Answers
	at := 0
	err := eachKey(func(keys []bloomlsh.Key) error {
		n := len(keys) / a.bands
		if isFirst {
			a.records += n
		}
		if at+n > a.records {
			return errOtherKeys
		}
		all.Reset(a.bands)
		if err := r.Lookup(keys, &all); err != nil {
			return err
		}
		if r.IsTagged() {
			a.votes = grown(a.votes, a.records)
			for i, votes := range all.GroupVotes(n) {
				a.votes[at+i] = max(a.votes[at+i], votes)
			}
		} else {
			a.bits = grown(a.bits, (a.records*a.bands+63)/64)
			for i, has := range all.Present(n) {
				if key := at*a.bands + i; has {
					a.bits[key/64] |= 1 << (key % 64)
				}
			}
		}
		at += n
		return nil
	})
	if err == nil && at != a.records {
		err = errOtherKeys
	}
	return err
}

// grown returns a list extended by zeros to a length.
func grown[T any](list []T, length int) []T {
	if more := length - len(list); more > 0 {
		list = append(list, make([]T, more)...)
	}
	return list
}

// add adds the results for the next records.
func (a *earlierVotes) add(records int, to *bloomlsh.Answers) error {
	if len(a.stats) == 0 { // none was searched
		return nil
	}
	if a.taken+records > a.records {
		return errOtherKeys
	}
	if len(a.bits) > 0 {
		present := to.Present(records)
		for i := range present {
			key := a.taken*a.bands + i
			present[i] = present[i] || a.bits[key/64]&(1<<(key%64)) != 0
		}
	}
	if len(a.votes) > 0 {
		all := to.GroupVotes(records)
		for i := range all {
			all[i] = max(all[i], a.votes[a.taken+i])
		}
	}
	a.taken += records
	return nil
}
