package main

import "math/bits"

// A quotientFilter is the filter of Bender et al. (Don't Thrash: How to Cache Your Hash on Flash,
// VLDB 2012): a key's hash is divided into an address, the quotient, and a remainder that is stored
// at the address or, where that is taken, in one of the slots after it. Remainders of one quotient
// are a run, in ascending order; runs are in the order of their quotients. Three bits of each slot
// say how to find them again, so keys can be listed, moved, merged and deleted, which a Bloom
// filter cannot. A slot is 32 bits, three of them flags.
//
// The address is a product instead of the hash's upper bits, so that any size will do.
type quotientFilter struct {
	slots []uint32
	size  uint64 // addresses; the slots after them take what the last ones push aside
}

const (
	occupied     = 1 << iota // the slot's own address is the quotient of some key
	continuation             // what is in the slot is not the first of its run
	shifted                  // what is in the slot is not at its own address
	flags        = occupied | continuation | shifted
	remainder    = 3 // bits below it
)

// newQuotientFilter has room for the keys at the given load, in 1 … 99 percent.
func newQuotientFilter(keys, percent int) *quotientFilter {
	size := keys*100/percent + 1
	return &quotientFilter{make([]uint32, size+1<<12), uint64(size)}
}

func (f *quotientFilter) split(hash uint64) (at int, rest uint32) {
	hi, lo := bits.Mul64(hash, f.size)
	return int(hi), uint32(lo >> 35)
}

// runOf returns where the run of an address begins, or would begin.
func (f *quotientFilter) runOf(at int) int {
	cluster := at
	for f.slots[cluster]&shifted != 0 {
		cluster--
	}
	run := cluster
	for cluster != at {
		for run++; f.slots[run]&continuation != 0; run++ {
		}
		for cluster++; f.slots[cluster]&occupied == 0; cluster++ {
			if cluster == at { // it has no run yet, and comes before the next one
				return run
			}
		}
	}
	return run
}

// has reports whether a key is in the filter, or another of the same quotient and remainder.
func (f *quotientFilter) has(hash uint64) bool {
	at, rest := f.split(hash)
	if f.slots[at]&occupied == 0 {
		return false
	}
	for i := f.runOf(at); ; i++ {
		if stored := f.slots[i] >> remainder; stored >= rest {
			return stored == rest
		}
		if f.slots[i+1]&continuation == 0 {
			return false
		}
	}
}

// add inserts a key, unless it is there, and reports whether it was.
func (f *quotientFilter) add(hash uint64) (present bool) {
	at, rest := f.split(hash)
	entry := rest << remainder
	if f.slots[at]&flags == 0 {
		f.slots[at] = entry | occupied
		return false
	}
	had := f.slots[at]&occupied != 0
	f.slots[at] |= occupied
	start := f.runOf(at)
	i := start
	if had {
		for {
			stored := f.slots[i] >> remainder
			if stored == rest {
				return true
			}
			if stored > rest {
				break
			}
			if i++; f.slots[i]&continuation == 0 {
				break
			}
		}
		if i == start {
			f.slots[i] |= continuation // it becomes the second of the run
		} else {
			entry |= continuation
		}
	}
	if i != at {
		entry |= shifted
	}
	f.insert(i, entry)
	return false
}

// insert puts an entry into a slot, and moves what is there and after it one slot on. The flag of
// an address stays where it is.
func (f *quotientFilter) insert(i int, entry uint32) {
	for {
		old := f.slots[i]
		f.slots[i] = entry&^occupied | old&occupied
		if old&flags == 0 {
			return
		}
		if i == int(f.size)+1<<12-2 {
			panic("the slots after the last address are full")
		}
		entry = old&^occupied | shifted
		i++
	}
}
