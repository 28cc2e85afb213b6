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

// A part is a set of records joined in memory.
type part struct {
	params    Params
	threshold threshold
	sets      collection              // of elements; empty if they are not needed
	keys      collection              // of keys; empty if they are not needed
	known     map[xxh3.Uint128]uint32 // sets by hash
	setOf     []uint32                // of each record; noSet if it has nothing to compare
	others    int                     // the first record of the second set; -1 without a second set
	bytes     uint64                  // memory of the records
}

const noSet = math.MaxUint32

func newPart(p Params) *part {
	return &part{params: p, threshold: threshold(p.Threshold), known: map[xxh3.Uint128]uint32{}, others: -1}
}

// add adds a record, or returns errFull.
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

// work returns the number of lookups.
func (p *part) work() uint64 { return uint64(p.firsts()) }

// find emits the pairs. Nothing can be added afterwards.
func (p *part) find(ctx context.Context, done *atomic.Uint64, emit func(Pair) error) error {
	members := p.membersOf()
	index, err := p.index(ctx, members)
	if err != nil {
		return err
	}
	return p.probeAll(ctx, index, members, done, emit)
}

// get returns what was added for a record. Call it before find.
func (p *part) get(record int) (set, keys []uint64) {
	number := p.setOf[record]
	if number == noSet {
		return nil, nil
	}
	return p.sets.sets[number], p.keys.sets[number]
}

// Maximum memory of a record, of a set apart from its elements, and of an element: its hash, its
// rank, and its posting.
const recordBytes, setBytes, elementBytes = 8, 160, 20

// bytesOf returns the memory of a record with a new set.
func bytesOf(set, keys []uint64) uint64 {
	return recordBytes + setBytes + elementBytes*uint64(len(set)+len(keys))
}

// asBytes returns the memory of words.
func asBytes(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}

// hashOf returns a hash of a set and its keys.
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

// members holds the records of each set, in ascending order. Sets are renumbered by their last
// member, so that the sets with a member from some record on are the last ones.
type members struct {
	starts  []uint32 // where those of each set begin, and the end of all
	records []uint32
	order   []uint32 // new number of each set
}

func (m *members) of(set uint32) []uint32 { return m.records[m.starts[set]:m.starts[set+1]] }

// from returns the first set with a member from a record on.
func (m *members) from(record uint32) uint32 {
	return uint32(sort.Search(len(m.starts)-1, func(i int) bool { return m.records[m.starts[i+1]-1] >= record }))
}

// membersOf renumbers the sets and lists their members.
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

// partnersFrom returns the first record that may be second in a pair with this one.
func (p *part) partnersFrom(record uint32) uint32 {
	if p.others >= 0 {
		return uint32(p.others)
	}
	return record + 1
}

// firsts returns the number of records that may be first in a pair.
func (p *part) firsts() int {
	if p.others >= 0 {
		return p.others
	}
	return len(p.setOf)
}
