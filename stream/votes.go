package stream

import (
	"errors"
	"slices"
)

// A BandIndex remembers records by their band keys.
type BandIndex interface {
	// Observe sets votes[i] to the number of band keys of record i that were seen in an earlier
	// record, and remembers the record, one after the other. keys holds those of len(votes)
	// records. It returns how many of the first records it has observed: all, unless there is an
	// error. It does not keep keys.
	Observe(keys []Key, votes []uint16) (observed int, err error)
}

// A PrefetchingIndex is a BandIndex that answers faster if it knows the keys in advance, because it
// reads some of its answers from disk.
type PrefetchingIndex interface {
	BandIndex
	// CanPrefetch reports whether there is anything on disk now.
	CanPrefetch() bool
	// Prefetch gives the keys of the records that Observe will get next, in order. The index may
	// keep them until then.
	Prefetch(keys []Key) error
}

// prefetch passes the keys of the batches to an index.
func (c *voteCounter) prefetch(index PrefetchingIndex, batches []Batch) error {
	n := 0
	for _, b := range batches {
		n += len(b.Words) / 2
	}
	c.ahead = slices.Grow(c.ahead[:0], n)
	for _, b := range batches {
		c.ahead = append(c.ahead, KeysOf(b.Words)...)
	}
	return index.Prefetch(c.ahead)
}

// A CopyIndex is a BandIndex that may remember records for good, so that their copies need no
// sketch.
type CopyIndex interface {
	BandIndex
	// Remembers reports whether the last record observed, which had that many votes, is remembered
	// for good.
	Remembers(votes uint16) bool
	// ObserveCopies counts n copies of records that are remembered for good.
	ObserveCopies(n int) error
}

// A TimedIndex is a BandIndex that goes by the times of records.
type TimedIndex interface {
	BandIndex
	// ObserveAt is Observe for records that were made in these seconds.
	ObserveAt(times []int64, keys []Key, votes []uint16) (observed int, err error)
}

// ByVotes returns a judge for sketches of band keys: a record is a duplicate if at least that many
// of its keys, one or more, were seen before. A TimedIndex receives the times of the records, if
// they are known.
func ByVotes(index BandIndex, votes int) Judge {
	c := &voteCounter{index: index, needed: max(1, votes)}
	judge := Judge{Decide: c.decide}
	if of, ok := index.(CopyIndex); ok {
		c.copies = of
		judge.Remembers, judge.VotesOfCopy = of.Remembers, c.votesOfCopy
	}
	if of, ok := index.(PrefetchingIndex); ok {
		judge.CanPrefetch = of.CanPrefetch
		judge.Prefetch = func(batches []Batch) error { return c.prefetch(of, batches) }
	}
	return judge
}

type voteCounter struct {
	index  BandIndex
	copies CopyIndex // index, if it is one
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

// votesOfCopy is how many votes a copy has: one from each band.
func (c *voteCounter) votesOfCopy() int { return c.bands }

// observeCopies has the index count copies of records that it remembers.
func (c *voteCounter) observeCopies(n int) error {
	if n == 0 {
		return nil
	}
	return c.copies.ObserveCopies(n)
}

// observe has the index observe the records of a batch that have keys.
func (c *voteCounter) observe(b Batch) (observed int, err error) {
	if timed, ok := c.index.(TimedIndex); ok && len(b.Times) > 0 {
		return timed.ObserveAt(b.Times, KeysOf(b.Words), c.votes)
	}
	return c.index.Observe(KeysOf(b.Words), c.votes)
}
