package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
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
	// MaxMemory is how many bytes may be taken; 0 is no bound. Records that take more are in a file
	// without a name, in the directory of TMPDIR, and are joined a block with a block.
	MaxMemory uint64
	// Threads is how many goroutines compare; at least one does. It changes no pair.
	Threads int
}

// isAsked reports whether a record has what is asked for.
func (p Params) isAsked(set, keys []uint64) bool {
	return (len(set) > 0 || p.Unverified) && (len(keys) > 0 || p.Votes == 0)
}

// isFull reports whether so many records are too many, or take too much memory.
func (p Params) isFull(bytes uint64, records int) bool {
	return records > mostRecords || p.MaxMemory > 0 && bytes > p.MaxMemory
}

// mostRecords is how many records are joined at once.
const mostRecords = math.MaxUint32 - 1

// errFull says that there is no room for one more record.
var errFull = errors.New("not enough memory")

// A Pair is two records, by their numbers in the order in which they were added, from 1 on.
type Pair struct {
	First, Second uint64  // the first one was added before the second one
	Similarity    float64 // their Jaccard similarity; 0 if that was not worked out
	Keys          int     // how many keys they have in common; 0 without Params.Votes
}

// A Join takes in records, and then says which of them are similar. It is not safe for concurrent
// use, but for Progress.
type Join struct {
	params  Params
	held    holder
	records uint64
	work    atomic.Uint64 // records to be looked up, each as often as it is
	done    atomic.Uint64 // of these
}

// A holder has the records: a part in memory, or blocks in a file.
type holder interface {
	add(set, keys []uint64) error
	divide()
	work() uint64
	find(ctx context.Context, done *atomic.Uint64, emit func(Pair) error) error
	close() error
}

// New returns a Join of no record. The error says which parameter makes no sense.
func New(p Params) (*Join, error) {
	switch {
	case !(p.Threshold > 0 && p.Threshold <= 1):
		return nil, fmt.Errorf("the threshold %v must be above 0 and at most 1", p.Threshold)
	case p.Votes < 0 || p.Unverified && p.Votes == 0:
		return nil, fmt.Errorf("%d votes make no sense: a pair that is not verified has at least 1 key", p.Votes)
	}
	return &Join{params: p, held: newPart(p)}, nil
}

// Add takes in one more record: its elements, and its keys if Params.Votes asks for some, each in
// ascending order without repeats. Of what is not asked for nothing is looked at. A record that
// lacks what is asked for is in no pair. Nothing is kept of the slices.
//
// A RoomError says that not even two such records would have room.
func (j *Join) Add(set, keys []uint64) error {
	if j.params.Unverified {
		set = nil
	}
	if j.params.Votes == 0 {
		keys = nil
	}
	err := j.held.add(set, keys)
	if inMemory, ok := j.held.(*part); ok && errors.Is(err, errFull) {
		var moved *blocks
		if moved, err = blocksOf(inMemory); err == nil {
			j.held = moved
			err = moved.add(set, keys)
		}
	}
	if err == nil {
		j.records++
	}
	return err
}

// Divide says that the records from here on are others, with which the ones before are compared,
// and not among themselves. It may be called once.
func (j *Join) Divide() { j.held.divide() }

// Records is how many were added.
func (j *Join) Records() uint64 { return j.records }

// Blocks is how many blocks the records are divided into; 1 if all are in memory.
func (j *Join) Blocks() int {
	if b, ok := j.held.(*blocks); ok {
		return len(b.all)
	}
	return 1
}

// Progress is the share of the work of Find that is done. Any goroutine may ask.
func (j *Join) Progress() float64 { return float64(j.done.Load()) / float64(max(1, j.work.Load())) }

// Find calls emit for all pairs, each once: ordered by their first record, and then by the second.
// It ends at the first error of emit. Nothing can be added any more.
func (j *Join) Find(ctx context.Context, emit func(Pair) error) error {
	j.work.Store(j.held.work())
	return j.held.find(ctx, &j.done, emit)
}

// Close gives back what is beyond the memory.
func (j *Join) Close() error { return j.held.close() }
