package stream

import (
	"errors"
	"slices"
)

// A BandIndex remembers records by their band keys. Only Observe is required.
type BandIndex struct {
	// Observe observes records one after the other: it sets votes[i] to the number of band keys
	// that record i shares with an earlier record, and remembers the record. keys contains the keys
	// of len(votes) records. It returns how many of the first records it has observed: all of them,
	// unless there is an error. It must not keep keys.
	Observe func(keys []Key, votes []uint16) (observed int, err error)
	// ObserveAt is Observe for records with times, in seconds.
	ObserveAt func(times []int64, keys []Key, votes []uint16) (observed int, err error)

	// CanPrefetch reports whether the index currently answers faster if it knows the keys in
	// advance, because it reads some of its answers from disk.
	CanPrefetch func() bool
	// Prefetch announces the keys of the next records, in order. The index may keep them until it
	// observes those records. It is required with CanPrefetch.
	Prefetch func(keys []Key) error

	// Remembers reports whether the last observed record, which had that many votes, is remembered
	// for good, so that its copies need no sketch.
	Remembers func(votes uint16) bool
	// ObserveCopies counts n copies of records that are remembered for good. It is required with
	// Remembers.
	ObserveCopies func(n int) error
}

// ByVotes returns a judge for sketches of band keys: a record is a duplicate if at least votes of
// its keys, which must be positive, were seen before.
func ByVotes(index BandIndex, votes int) Judge {
	c := &voteCounter{index: index, needed: max(1, votes)}
	judge := Judge{Decide: c.decide}
	if index.Remembers != nil {
		judge.Remembers, judge.VotesOfCopy = index.Remembers, c.votesOfCopy
	}
	if index.Prefetch != nil {
		judge.CanPrefetch, judge.Prefetch = index.CanPrefetch, c.prefetch
	}
	return judge
}

type voteCounter struct {
	index  BandIndex
	needed int
	bands  int      // of a record
	votes  []uint16 // of the records of a batch that have keys
	ahead  []Key    // of the batches that come next
}

func (c *voteCounter) decide(b Batch, out []Verdict) (judged int, err error) {
	asked := 0
	for i, p := range b.Problems {
		if p.IsReadable() && !b.isCopy(i) {
			asked++
		}
	}
	c.votes = slices.Grow(c.votes[:0], asked)[:asked]
	observed := 0
	if asked > 0 {
		c.bands = len(b.Words) / 2 / asked
		observed, err = c.observe(b)
	}
	next, copies := 0, 0
	for ; judged < len(out); judged++ {
		verdict := Verdict{}
		switch {
		case !b.Problems[judged].IsReadable():
		case b.isCopy(judged):
			verdict = Verdict{Duplicate: true, Votes: uint16(c.bands)}
			copies++
		case next == observed:
			return judged, errors.Join(err, c.observeCopies(copies))
		default:
			verdict = Verdict{Duplicate: int(c.votes[next]) >= c.needed, Votes: c.votes[next]}
			next++
		}
		out[judged] = verdict
	}
	return judged, errors.Join(err, c.observeCopies(copies))
}

// votesOfCopy returns how many votes a copy has: one from each band.
func (c *voteCounter) votesOfCopy() int { return c.bands }

// observeCopies makes the index count copies of records that it remembers.
func (c *voteCounter) observeCopies(n int) error {
	if n == 0 {
		return nil
	}
	return c.index.ObserveCopies(n)
}

// observe makes the index observe the records of a batch that have keys.
func (c *voteCounter) observe(b Batch) (observed int, err error) {
	if c.index.ObserveAt != nil && len(b.Times) > 0 {
		return c.index.ObserveAt(b.Times, KeysOf(b.Words), c.votes)
	}
	return c.index.Observe(KeysOf(b.Words), c.votes)
}

// prefetch announces the keys of the batches to the index.
func (c *voteCounter) prefetch(batches []Batch) error {
	n := 0
	for _, b := range batches {
		n += len(b.Words) / 2
	}
	c.ahead = slices.Grow(c.ahead[:0], n)
	for _, b := range batches {
		c.ahead = append(c.ahead, KeysOf(b.Words)...)
	}
	return c.index.Prefetch(c.ahead)
}
