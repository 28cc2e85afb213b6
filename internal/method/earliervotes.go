package method

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// Where the keys of a run can be read several times, and it takes in none of them, the indexes that
// it is compared with need not be in memory together: each is asked about all keys, and closed.
// What they say is kept, so that votes are counted as if all were open: a bit for each key that a
// Bloom filter has, and the votes of each record by tagged indexes.

// earlierVotes are what indexes have said of the keys of a run, which asks for them in their order.
type earlierVotes struct {
	bands   int
	bits    []uint64
	votes   []uint16
	records int // that there are answers about
	taken   int
	stats   []IndexStats
	usage   bloomlsh.Usage
}

// errOtherKeys says that what was read of a file is not what was read of it before.
var errOtherKeys = errors.New("the sketch files, or the flags, have changed while they were read: give the command " +
	"again")

// queryEach asks the indexes one after the other about all keys.
func (s *Filters) queryEach(
	dirs []string, kind KeyKind, eachKey func(do func(keys []bloomlsh.Key) error) error,
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
		a.stats = append(a.stats, DescribeIndex(r.Stats()))
		if err := r.Close(); err != nil {
			return a, err
		}
	}
	return a, nil
}

// query asks one index about all keys. The first one finds out how many there are.
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

// grown is a list with zeros up to a length.
func grown[T any](list []T, length int) []T {
	if more := length - len(list); more > 0 {
		list = append(list, make([]T, more)...)
	}
	return list
}

// add adds what the indexes have said of the records that come next.
func (a *earlierVotes) add(records int, to *bloomlsh.Answers) error {
	if len(a.stats) == 0 { // none was asked
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
