package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// Params configures a Join.
type Params struct {
	// Threshold is the minimum Jaccard similarity of a pair, above 0 and at most 1.
	Threshold float64
	// Votes is the number of common keys that makes two records candidates. If it is 0 there are no
	// keys: prefixes of sets select the candidates, and no pair is missed.
	Votes int
	// Unverified is for records with keys only: every candidate is a pair.
	Unverified bool
	// MaxMemory bounds the memory in bytes; 0 means no limit. Records that exceed it go to an
	// unnamed file in TMPDIR, and are joined block by block.
	MaxMemory uint64
	// Threads is the number of goroutines, at least one. It does not affect the result.
	Threads int
}

// isAsked reports whether a record has what the parameters require.
func (p Params) isAsked(set, keys []uint64) bool {
	return (len(set) > 0 || p.Unverified) && (len(keys) > 0 || p.Votes == 0)
}

// isFull reports whether that many records, or bytes, exceed the limits.
func (p Params) isFull(bytes uint64, records int) bool {
	return records > mostRecords || p.MaxMemory > 0 && bytes > p.MaxMemory
}

// mostRecords is the maximum number of records joined in memory.
const mostRecords = math.MaxUint32 - 1

// errFull is returned if there is no space for another record.
var errFull = errors.New("not enough memory")

// A Pair is two records, numbered from 1 in the order they were added.
type Pair struct {
	First, Second uint64  // First was added before Second
	Similarity    float64 // Jaccard similarity; 0 if it was not computed
	Keys          int     // number of common keys; 0 without Params.Votes
}

// A Join collects records and finds the similar pairs. It is not safe for concurrent use, except
// for Progress.
type Join struct {
	params  Params
	held    recordStore
	records uint64
	work    atomic.Uint64 // lookups to do
	done    atomic.Uint64 // lookups done
}

// A recordStore stores the records: a part in memory, or blocks in a file.
type recordStore interface {
	add(set, keys []uint64) error
	divide()
	work() uint64
	find(ctx context.Context, done *atomic.Uint64, emit func(Pair) error) error
	close() error
}

// New returns an empty Join, or an error if the parameters are invalid.
func New(p Params) (*Join, error) {
	switch {
	case !(p.Threshold > 0 && p.Threshold <= 1):
		return nil, fmt.Errorf("the threshold %v must be above 0 and at most 1", p.Threshold)
	case p.Votes < 0 || p.Unverified && p.Votes == 0:
		return nil, fmt.Errorf("%d votes make no sense: a pair that is not verified has at least 1 key", p.Votes)
	}
	return &Join{params: p, held: newPart(p)}, nil
}

// Add adds a record: its elements and, with Params.Votes, its keys, each sorted and without
// duplicates. What the parameters do not require is ignored. A record without what they require is
// in no pair. Add keeps neither slice.
//
// It returns a MemoryError if not even two such records fit into the memory.
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

// Divide starts a second set of records. Records of the second set are compared with those of the
// first, but not among themselves. It may be called once.
func (j *Join) Divide() { j.held.divide() }

// Records returns the number of records added.
func (j *Join) Records() uint64 { return j.records }

// Blocks returns the number of blocks the records are divided into; 1 if all are in memory.
func (j *Join) Blocks() int {
	if b, ok := j.held.(*blocks); ok {
		return len(b.all)
	}
	return 1
}

// Progress returns the share of Find's work that is done. Any goroutine may call it.
func (j *Join) Progress() float64 { return float64(j.done.Load()) / float64(max(1, j.work.Load())) }

// Find calls emit for each pair once, ordered by first and then by second record. It stops at the
// first error of emit. Nothing can be added afterwards.
func (j *Join) Find(ctx context.Context, emit func(Pair) error) error {
	j.work.Store(j.held.work())
	return j.held.find(ctx, &j.done, emit)
}

// Close releases files.
func (j *Join) Close() error { return j.held.close() }
