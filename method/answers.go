package method

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
)

// Where the keys of a run can be read several times, and it takes in none of them, the indexes that
// it is compared with need not be in memory together: each is asked about all keys, and closed. A
// bit for each key says whether any of them had it, so that votes are counted as if all were open.

// answers are what indexes have said of the keys of a run, which asks for them in their order.
type answers struct {
	bits  []uint64
	keys  int // that have a bit
	taken int
	stats []IndexStats
	usage bloomlsh.Usage
}

// errOtherKeys says that what was read of a file is not what was read of it before.
var errOtherKeys = errors.New("the sketch files, or the flags, have changed while they were read: give the command " +
	"again")

// askEach asks the indexes one after the other about all keys.
func (s *Filters) askEach(
	dirs []string, kind KeyKind, eachKey func(do func(keys []bloomlsh.Key) error) error,
) (a answers, err error) {
	for i, dir := range dirs {
		r, err := bloomlsh.OpenReadOnlyIn(s.share, dir, kind.Bands, kind.Kept())
		if err != nil {
			return a, err
		}
		if err := a.ask(r, i == 0, eachKey); err != nil {
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

// ask asks one index about all keys. The first one finds out how many there are.
func (a *answers) ask(
	r *bloomlsh.Reader, isFirst bool, eachKey func(do func(keys []bloomlsh.Key) error) error,
) error {
	var present []bool
	at := 0
	err := eachKey(func(keys []bloomlsh.Key) error {
		present = slices.Grow(present[:0], len(keys))[:len(keys)]
		clear(present)
		if err := r.QueryBands(keys, present); err != nil {
			return err
		}
		if isFirst {
			a.keys += len(keys)
			words := (a.keys + 63) / 64
			a.bits = append(a.bits, make([]uint64, words-len(a.bits))...)
		}
		if at+len(keys) > a.keys {
			return errOtherKeys
		}
		for i, has := range present {
			if has {
				a.bits[(at+i)/64] |= 1 << ((at + i) % 64)
			}
		}
		at += len(keys)
		return nil
	})
	if err == nil && at != a.keys {
		err = errOtherKeys
	}
	return err
}

// take notes which of the next keys any of the indexes had.
func (a *answers) take(present []bool) error {
	if len(a.stats) == 0 { // none was asked
		return nil
	}
	if a.taken+len(present) > a.keys {
		return errOtherKeys
	}
	for i := range present {
		at := a.taken + i
		present[i] = present[i] || a.bits[at/64]&(1<<(at%64)) != 0
	}
	a.taken += len(present)
	return nil
}
