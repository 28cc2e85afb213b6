package sketch

import "github.com/zeebo/xxh3"

// A memo has the signatures of texts that came more than once, by the hashes of their normal forms:
// in logs, crawls and templates most texts are equal to one that came before. It takes at most 2
// MB, and no memory and next to no time where texts do not repeat. As it only spares work,
// signatures are the same with it and without. Its zero value is empty.
type memo struct {
	once   []uint64       // where a hash belongs, its high half: of texts that came once
	hashes []xxh3.Uint128 // where a hash belongs, that of the signature there; zero for none
	slots  []uint64       // these signatures
	kept   int            // how many were taken in since there is so much room

	asked, found int // of a trial
	rest         int // how many texts are still to be left alone
}

// How many texts a memo is tried on, of which one in memoLeast must be found, or else it is left
// alone for memoRest of them.
const (
	memoTrial = 4096
	memoLeast = 32
	memoRest  = 16 * memoTrial
)

const (
	memoOnce  = 1 << 13 // hashes
	memoFirst = 64      // signatures, of which there is room for twice as many each time it is full
	memoBytes = 2 << 20 // of signatures, at most
)

// pays reports whether a text is to be looked up.
func (m *memo) pays() bool {
	if m.rest > 0 {
		m.rest--
		return false
	}
	if m.asked == memoTrial {
		if m.found*memoLeast < memoTrial {
			m.rest = memoRest
		}
		m.asked, m.found = 0, 0
	}
	m.asked++
	return true
}

// find copies the signature of the text of that hash to slots, if it is there.
func (m *memo) find(slots []uint64, hash xxh3.Uint128) bool {
	if len(m.hashes) == 0 {
		return false
	}
	at := int(hash.Lo) & (len(m.hashes) - 1)
	if m.hashes[at] != hash {
		return false
	}
	m.found++
	copy(slots, m.slots[at*len(slots):])
	return true
}

// keep takes a signature in when its text comes the second time.
func (m *memo) keep(hash xxh3.Uint128, slots []uint64) {
	if m.once == nil {
		m.once = make([]uint64, memoOnce)
	}
	if once := &m.once[hash.Lo%memoOnce]; *once != hash.Hi {
		*once = hash.Hi
		return
	}
	m.found++ // it would be, if it were there
	if m.kept == len(m.hashes) {
		m.grow(len(slots))
	}
	m.kept++
	at := int(hash.Lo) & (len(m.hashes) - 1)
	m.hashes[at] = hash
	copy(m.slots[at*len(slots):(at+1)*len(slots)], slots)
}

// grow makes room for twice as many signatures, if that is allowed. Those that were there are
// forgotten: their texts come again, or are no loss.
func (m *memo) grow(slots int) {
	n := max(memoFirst, 2*len(m.hashes))
	m.kept = 0
	if n > memoFirst && n*slots*8 > memoBytes {
		return
	}
	m.hashes, m.slots = make([]xxh3.Uint128, n), make([]uint64, n*slots)
}
