package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// Params say which pairs are looked for.
type Params struct {
	// Threshold is the least Jaccard similarity of a pair, above 0 and at most 1.
	Threshold float64
	// Votes is how many keys two records must have in common to be compared. If it is 0 no keys are
	// asked for: prefixes of sets say what is compared, and no pair is missed.
	Votes int
	// Unverified is for records with keys alone: what would be compared is a pair already.
	Unverified bool
	// MaxMemory is how many bytes may be taken; 0 is no bound.
	MaxMemory uint64
	// Threads is how many goroutines compare; at least one does. It changes no pair.
	Threads int
}

// ErrMemory says that there is no room for the records.
var ErrMemory = errors.New("not enough memory")

// MostRecords is how many records a Join takes.
const MostRecords = math.MaxUint32 - 1

// A Pair is two records, by their numbers in the order in which they were added, from 1 on.
type Pair struct {
	First, Second uint64  // the first one was added before the second one
	Similarity    float64 // their Jaccard similarity; 0 if that was not worked out
	Keys          int     // how many keys they have in common; 0 without Params.Votes
}

// A Join takes in records, and then says which of them are similar. It is not safe for concurrent
// use, but for Progress.
type Join struct {
	params    Params
	threshold threshold
	sets      collection              // of elements; empty where these are not asked for
	keys      collection              // of keys; likewise
	known     map[xxh3.Uint128]uint32 // sets, by hashes of all that was added
	setOf     []uint32                // of each record; noSet if it has nothing to compare
	others    int                     // where those begin that the others are compared with; -1: there are none
	bytes     uint64                  // that the records take
	isOver    bool                    // which is more than they may

	done atomic.Uint64 // records whose pairs are known
}

const noSet = math.MaxUint32

// New returns a Join of no record. The error says which parameter makes no sense.
func New(p Params) (*Join, error) {
	switch {
	case !(p.Threshold > 0 && p.Threshold <= 1):
		return nil, fmt.Errorf("the threshold %v must be above 0 and at most 1", p.Threshold)
	case p.Votes < 0 || p.Unverified && p.Votes == 0:
		return nil, fmt.Errorf("%d votes make no sense: a pair that is not verified has at least 1 key", p.Votes)
	}
	return &Join{
		params: p, threshold: threshold(p.Threshold), known: map[xxh3.Uint128]uint32{}, others: -1,
	}, nil
}

// Add takes in one more record: its elements, and its keys if Params.Votes asks for some, each in
// ascending order without repeats. Of what is not asked for nothing is looked at. A record that
// lacks what is asked for is in no pair. Nothing is kept of the slices.
//
// If the records take more than Params.MaxMemory the following ones are only counted, and Find says
// what is missing.
func (j *Join) Add(set, keys []uint64) error {
	if len(j.setOf) >= MostRecords {
		return fmt.Errorf("more than %d records cannot be compared: compare fewer", MostRecords)
	}
	if j.params.Unverified {
		set = nil
	}
	if j.params.Votes == 0 {
		keys = nil
	}
	j.setOf = append(j.setOf, noSet)
	j.bytes += recordBytes
	if len(set) == 0 && !j.params.Unverified || len(keys) == 0 && j.params.Votes > 0 {
		return nil
	}
	hash := hashOf(set, keys)
	number, isKnown := j.known[hash]
	if !isKnown {
		j.bytes += setBytes + elementBytes*uint64(len(set)+len(keys))
		if j.isOver = j.isOver || j.params.MaxMemory > 0 && j.bytes > j.params.MaxMemory; j.isOver {
			j.sets, j.keys = collection{}, collection{}
			return nil
		}
		number = uint32(len(j.known))
		j.known[hash] = number
		j.sets.add(set)
		j.keys.add(keys)
	}
	j.setOf[len(j.setOf)-1] = number
	return nil
}

// What is taken at most by a record, by a set beside its elements, and by an element: its hash, its
// place in the order of all, and what finds the sets that have it.
const recordBytes, setBytes, elementBytes = 8, 160, 20

// hashOf is equal for equal sets with equal keys, and for no others.
func hashOf(set, keys []uint64) xxh3.Uint128 {
	of := func(words []uint64) xxh3.Uint128 {
		if len(words) == 0 {
			return xxh3.Uint128{}
		}
		return xxh3.Hash128(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words)))
	}
	if len(keys) == 0 {
		return of(set)
	}
	a, b := of(set), of(keys)
	return of([]uint64{a.Hi, a.Lo, b.Hi, b.Lo})
}

// Divide says that the records from here on are others, with which the ones before are compared,
// and not among themselves. It may be called once.
func (j *Join) Divide() { j.others = len(j.setOf) }

// Records is how many were added.
func (j *Join) Records() uint64 { return uint64(len(j.setOf)) }

// Progress says of how many records all pairs are known. Any goroutine may ask.
func (j *Join) Progress() uint64 { return j.done.Load() }

// Find calls emit for all pairs, each once: ordered by their first record, and then by the second.
// It ends at the first error of emit. Nothing can be added any more.
func (j *Join) Find(ctx context.Context, emit func(Pair) error) error {
	if j.isOver {
		return &RoomError{Records: j.Records(), Needed: j.bytes}
	}
	members := j.membersOf()
	index, err := j.index(ctx, members)
	if err != nil {
		return err
	}
	return j.probeAll(ctx, index, members, emit)
}

// A RoomError says that the records take more memory than they may.
type RoomError struct{ Records, Needed uint64 }

func (e *RoomError) Error() string {
	return fmt.Sprintf("%v: %d records need %d bytes", ErrMemory, e.Records, e.Needed)
}

func (e *RoomError) Unwrap() error { return ErrMemory }

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
func (j *Join) membersOf() *members {
	sets := len(j.known)
	j.known = nil
	m := &members{starts: make([]uint32, sets+1), order: slices.Repeat([]uint32{noSet}, sets)}
	last := uint32(sets)
	for record := len(j.setOf) - 1; record >= 0; record-- {
		if set := j.setOf[record]; set != noSet {
			if m.order[set] == noSet {
				last--
				m.order[set] = last
			}
			j.setOf[record] = m.order[set]
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
	for record, set := range j.setOf {
		if set != noSet {
			m.records[next[set]] = uint32(record)
			next[set]++
		}
	}
	return m
}

// partnersFrom is the first record that may be the second one of a pair with this one.
func (j *Join) partnersFrom(record uint32) uint32 {
	if j.others >= 0 {
		return uint32(j.others)
	}
	return record + 1
}

// firsts is how many records may be the first one of a pair.
func (j *Join) firsts() int {
	if j.others >= 0 {
		return j.others
	}
	return len(j.setOf)
}
