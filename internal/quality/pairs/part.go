package pairs

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A part is records in memory that are joined at once.
type part struct {
	params    Params
	threshold threshold
	sets      collection              // of elements; empty where these are not asked for
	keys      collection              // of keys; likewise
	known     map[xxh3.Uint128]uint32 // sets, by hashes of all that was added
	setOf     []uint32                // of each record; noSet if it has nothing to compare
	others    int                     // where those begin that the others are compared with; -1: there are none
	bytes     uint64                  // that the records take
}

const noSet = math.MaxUint32

func newPart(p Params) *part {
	return &part{params: p, threshold: threshold(p.Threshold), known: map[xxh3.Uint128]uint32{}, others: -1}
}

// add takes in a record, or returns errFull if there is no room for it.
func (p *part) add(set, keys []uint64) error {
	number := uint32(noSet)
	bytes := p.bytes + recordBytes
	if p.params.isAsked(set, keys) {
		hash, isKnown := hashOf(set, keys), false
		if number, isKnown = p.known[hash]; !isKnown {
			bytes = p.bytes + bytesOf(set, keys)
			if p.params.isFull(bytes, len(p.setOf)+1) {
				return errFull
			}
			number = uint32(len(p.known))
			p.known[hash] = number
			p.sets.add(set)
			p.keys.add(keys)
		}
	}
	if p.params.isFull(bytes, len(p.setOf)+1) {
		return errFull
	}
	p.bytes = bytes
	p.setOf = append(p.setOf, number)
	return nil
}

func (p *part) divide() { p.others = len(p.setOf) }

func (p *part) close() error { return nil }

// work is how many records are looked up.
func (p *part) work() uint64 { return uint64(p.firsts()) }

// find emits the pairs. Nothing can be added any more.
func (p *part) find(ctx context.Context, done *atomic.Uint64, emit func(Pair) error) error {
	members := p.membersOf()
	index, err := p.index(ctx, members)
	if err != nil {
		return err
	}
	return p.probeAll(ctx, index, members, done, emit)
}

// get returns what was added of a record, if nothing was found yet.
func (p *part) get(record int) (set, keys []uint64) {
	number := p.setOf[record]
	if number == noSet {
		return nil, nil
	}
	return p.sets.sets[number], p.keys.sets[number]
}

// What is taken at most by a record, by a set beside its elements, and by an element: its hash, its
// place in the order of all, and what finds the sets that have it.
const recordBytes, setBytes, elementBytes = 8, 160, 20

// bytesOf is what a record takes if no other one has the same set.
func bytesOf(set, keys []uint64) uint64 {
	return recordBytes + setBytes + elementBytes*uint64(len(set)+len(keys))
}

// asBytes are the bytes of words, in the order of the machine.
func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// hashOf is equal for equal sets with equal keys, and for no others.
func hashOf(set, keys []uint64) xxh3.Uint128 {
	of := func(words []uint64) xxh3.Uint128 {
		if len(words) == 0 {
			return xxh3.Uint128{}
		}
		return xxh3.Hash128(asBytes(words))
	}
	if len(keys) == 0 {
		return of(set)
	}
	a, b := of(set), of(keys)
	return of([]uint64{a.Hi, a.Lo, b.Hi, b.Lo})
}

// members are the records of each set, in ascending order. Sets are numbered anew, by their last
// members: so those with a member from some record on are the last ones.
type members struct {
	starts  []uint32 // where those of each set begin, and where all end
	records []uint32
	order   []uint32 // of the old numbers
}

func (m *members) of(set uint32) []uint32 { return m.records[m.starts[set]:m.starts[set+1]] }

// from is the first set with a member from that record on.
func (m *members) from(record uint32) uint32 {
	return uint32(sort.Search(len(m.starts)-1, func(i int) bool { return m.records[m.starts[i+1]-1] >= record }))
}

// membersOf numbers the sets anew, and finds their members.
func (p *part) membersOf() *members {
	sets := len(p.known)
	p.known = nil
	m := &members{starts: make([]uint32, sets+1), order: slices.Repeat([]uint32{noSet}, sets)}
	last := uint32(sets)
	for record := len(p.setOf) - 1; record >= 0; record-- {
		if set := p.setOf[record]; set != noSet {
			if m.order[set] == noSet {
				last--
				m.order[set] = last
			}
			p.setOf[record] = m.order[set]
			m.starts[m.order[set]]++
		}
	}
	total := uint32(0)
	for i, n := range m.starts {
		m.starts[i] = total
		total += n
	}
	m.records = make([]uint32, total)
	next := slices.Clone(m.starts)
	for record, set := range p.setOf {
		if set != noSet {
			m.records[next[set]] = uint32(record)
			next[set]++
		}
	}
	return m
}

// partnersFrom is the first record that may be the second one of a pair with this one.
func (p *part) partnersFrom(record uint32) uint32 {
	if p.others >= 0 {
		return uint32(p.others)
	}
	return record + 1
}

// firsts is how many records may be the first one of a pair.
func (p *part) firsts() int {
	if p.others >= 0 {
		return p.others
	}
	return len(p.setOf)
}
