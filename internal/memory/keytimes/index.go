package keytimes

import (
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// Params configures an Index.
type Params struct {
	Age int64 // seconds: a key is found at times that are less than this after its own

	// UnseenOnly makes the index remember only keys that were not found.
	UnseenOnly bool
}

// Words is the number of words of a sketch: the key, and the second in which the record was made.
const Words = 3

// Any is a time of a record for which no key is too old.
const Any = math.MinInt64

// Validate returns an error if the parameters are invalid.
func (p Params) Validate() error {
	if p.Age < 1 {
		return fmt.Errorf("age must be at least a second, not %d", p.Age)
	}
	return nil
}

// PeakBytes returns the memory that an index takes, while it grows, for that many keys.
func (p Params) PeakBytes(keys uint64) uint64 { return peakBytes(keys) }

// An Index finds keys. It is not safe for concurrent use.
type Index struct {
	memory.Core
	params Params
	table  *table

	// of the current record
	key     [2]uint64
	second  int64
	place   place
	isThere bool
	renews  bool // whether it was read from the log as a renewal

	touched uint64
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index. Load or Read fills it from a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{params: p, table: newTable()}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	x.PlaceForgottenBy(func() error {
		kind{x}.offset() // the table has a base from now on
		return x.put(x.Records(), forgotten)
	})
	return x, nil
}

// mostTouched is the number of keys that are looked up together. Their slots stay in the cache for
// that long.
const mostTouched = 256

// eachPart calls do for one part of the records after another, once their slots have been touched.
// Most of the time goes into waiting for memory, and this waits for many slots at once.
func (x *Index) eachPart(
	sketches []uint64, matches []memory.Match, do func(sketches []uint64, matches []memory.Match) error,
) error {
	if len(sketches) != Words*len(matches) || len(matches) == 0 {
		return do(sketches, matches) // do returns the error, if any
	}
	for len(matches) > 0 {
		n := min(mostTouched, len(matches))
		x.touched += x.table.touch(sketches[:Words*n])
		if err := do(sketches[:Words*n], matches[:n]); err != nil {
			return err
		}
		sketches, matches = sketches[Words*n:], matches[n:]
	}
	return nil
}

// Query implements memory.Searcher. Matches of other memories are as similar, so they stay.
func (x *Index) Query(sketches []uint64, matches []memory.Match) error {
	if err := x.ReadyFor(sketches, len(matches)); err != nil {
		return err
	}
	return x.eachPart(sketches, matches, func(sketches []uint64, matches []memory.Match) error {
		k := kind{x}
		for i := range matches {
			if matches[i].Record == 0 {
				matches[i], _, _ = k.Lookup(sketches[Words*i:])
			}
		}
		return nil
	})
}

// ObserveBeside implements memory.Remembering.
func (x *Index) ObserveBeside(sketches []uint64, matches []memory.Match) (observed int, err error) {
	err = x.eachPart(sketches, matches, func(sketches []uint64, matches []memory.Match) error {
		n, err := x.Core.ObserveBeside(sketches, matches)
		observed += n
		return err
	})
	return observed, err
}

// Observe implements memory.Remembering.
func (x *Index) Observe(sketches []uint64, matches []memory.Match) (observed int, err error) {
	clear(matches)
	return x.ObserveBeside(sketches, matches)
}

// Near implements memory.Searcher. Only an equal key is near.
func (x *Index) Near(dst []memory.Match, sketch []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(sketch); err != nil || k < 1 {
		return dst, err
	}
	found, _, err := kind{x}.Lookup(sketch)
	if found.Record > 0 {
		dst = append(dst, found)
	}
	return dst, err
}

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Bytes = x.table.bytes()
	return s
}

// Close frees the memory of the index.
func (x *Index) Close() error {
	err := x.table.release()
	x.Core = memory.Core{}
	return err
}
