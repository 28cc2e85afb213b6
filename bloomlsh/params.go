package bloomlsh

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// A Key is a band key: 128 bits that represent one band of a record's signature.
type Key = xxh3.Uint128

// PackKey makes a key from its two halves. Their order matters: a key with swapped halves is a
// different key, which the index has never seen.
func PackKey(high, low uint64) Key { return Key{Hi: high, Lo: low} }

// KeyOfBytes makes a key from 16 bytes, the high half first and each half big-endian. This is the
// form that Key.Bytes returns and that columns of band keys use (mithril_keys in Spark and Ray).
func KeyOfBytes(b [16]byte) Key {
	return PackKey(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:]))
}

// Values of Params.Filter, Params.Remember, Params.OnFull and Params.Growth.
const (
	FilterPaged   = "paged"   // page-local partitioned Bloom filters: fast
	FilterClassic = "classic" // the textbook Bloom filters of bits-and-blooms
	FilterTagged  = "tagged"  // keys with their groups: only votes of one group count together

	RememberAll    = "all"    // insert every record
	RememberUnseen = "unseen" // insert only records that are not duplicates

	OnFullGrow   = "grow"   // open a larger generation
	OnFullRefuse = "refuse" // return ErrFull

	GrowthDoubling  = "doubling"  // the only table of a tagged index doubles
	GrowthThreefold = "threefold" // each generation is 3 times as large as the one before
)

// Limits on Params. They keep all sizes and rates computed from them finite and meaningful.
const (
	maxBands  = 1<<16 - 1 // votes are counted in 16 bits
	maxTagged = 1 << 15   // bands of a tagged index, whose log entries are longer
	// Every record is looked up in all generations, one after the other.
	maxKept = 64
)

var (
	// ErrFull is returned if the index holds as many records as planned and may not grow
	// (OnFullRefuse).
	ErrFull = errors.New("index is full")
	// ErrMemory is returned if an index or its next generation needs more memory than is available.
	ErrMemory = errors.New("not enough memory for the index")
)

// Params are the properties of an index. All of them affect verdicts: an index can only be used
// with the ones it was built with. Bands must be set; the zero value of any other field is a
// default.
type Params struct {
	Bands    int    // band keys per record
	Votes    int    // how many seen band keys make a duplicate; 0 means 1
	Capacity uint64 // records planned for; 0 means 1,000,000
	// FPRate is the probability that, with Capacity records inserted, the filters alone make a
	// duplicate of an unseen record; 0 means 1e-8.
	FPRate float64
	// Filter is FilterTagged, FilterPaged or FilterClassic. The default is FilterTagged if a
	// duplicate needs several votes (a single vote always comes from one record), otherwise
	// FilterPaged. An existing index keeps its kind.
	Filter   string
	Remember string // RememberAll (the default) or RememberUnseen
	OnFull   string // OnFullGrow (the default) or OnFullRefuse
	// Growth says how an index that forgets nothing grows. By default, an existing index grows as
	// before; a new one uses GrowthDoubling if it is tagged and Memory is 0, otherwise
	// GrowthThreefold.
	Growth string

	// KeepGenerations, if not 0, makes the index forget. It must be at least 2. The index has at
	// most that many generations, and drops the oldest when it needs another one. All but one of
	// them together hold Capacity records, so at least the last Capacity inserted records are
	// remembered.
	KeepGenerations int
	// ForgetAfter, if not 0, makes the index close and drop generations by the times of records
	// (ObserveAt) instead of their number. It must be in whole seconds. Anything no older than
	// ForgetAfter is remembered. Capacity is the number of records planned for in that time.
	ForgetAfter time.Duration

	// Generations, if greater than 1, divides Capacity among that many generations of equal size.
	// Further generations beyond Capacity have the same size.
	Generations int
	// Memory, if not 0, is the maximum size of the filters in memory, in bytes. Older generations
	// that exceed it are read from disk. It affects no verdict, and is not stored in the index.
	Memory uint64

	// PageSeed is mixed into the choice of pages and lines in a paged filter, and stored in the
	// index. If it is 0, anybody can find keys that fall into one page and fill that page on
	// purpose, so that the index takes unseen keys for seen.
	PageSeed uint64
}

// complete fills in the defaults.
func (p Params) complete() Params {
	p.Votes = cmp.Or(p.Votes, 1)
	p.Capacity = cmp.Or(p.Capacity, 1_000_000)
	p.FPRate = cmp.Or(p.FPRate, 1e-8)
	p.Filter = cmp.Or(p.Filter, p.defaultFilter())
	p.Remember = cmp.Or(p.Remember, RememberAll)
	p.OnFull = cmp.Or(p.OnFull, OnFullGrow)
	if !p.grows() {
		p.Growth = ""
		return p
	}
	if p.Growth == "" {
		p.Growth = GrowthThreefold
		if p.isTagged() && p.Memory == 0 { // a table that doubles stays in memory
			p.Growth = GrowthDoubling
		}
	}
	return p
}

// Unplanned returns parameters for a stream of unknown length. A table that doubles then starts
// with half of Capacity.
func (p Params) Unplanned() Params {
	if p = p.complete(); p.doubles() {
		p.Capacity = (p.Capacity + 1) / 2
	}
	return p
}

func (p Params) defaultFilter() string {
	if p.Votes > 1 && p.Bands <= maxTagged {
		return FilterTagged
	}
	return FilterPaged
}

// grows reports whether later generations are larger than the first.
func (p Params) grows() bool { return p.OnFull == OnFullGrow && !p.forgets() && p.Generations == 0 }

// forgets reports whether generations are dropped.
func (p Params) forgets() bool { return p.KeepGenerations > 0 }

// generations returns the number of generations planned for.
func (p Params) generations() int { return max(1, p.KeepGenerations, p.Generations) }

// Divide returns parameters with the smallest number of Generations for which one of them fits into
// Memory, since lookups get slower with more. It returns p unchanged if a single generation fits,
// or if generations are dropped.
func (p Params) Divide() Params {
	q := p.complete()
	if q.forgets() || q.Memory == 0 || q.OnFull == OnFullRefuse {
		return p
	}
	fits := func() bool { return planGeneration(q, 0).memory(q.Votes) <= q.Memory }
	for q.Generations = 0; !fits() && q.Generations < maxKept; q.Generations++ {
		q.Generations = max(1, q.Generations)
	}
	p.Generations = q.Generations
	return p
}

// Validate returns an error that names the first invalid parameter.
func (p Params) Validate() error {
	p = p.complete()
	switch {
	case p.Bands < 1 || p.Bands > maxBands:
		return fmt.Errorf("bands: %d is not between 1 and %d", p.Bands, maxBands)
	case p.Votes < 1 || p.Votes > p.Bands:
		return fmt.Errorf("votes: %d is not between 1 and the number of bands, %d", p.Votes, p.Bands)
	case p.PageSeed != 0 && p.Filter == FilterClassic:
		return fmt.Errorf("page-seed: the filter %s has no pages", FilterClassic)
	case p.Capacity < 1 || p.Capacity > lsh.MaxCapacity:
		return fmt.Errorf("capacity: %d is not between 1 and %d records", p.Capacity, uint64(lsh.MaxCapacity))
	case !(p.FPRate >= lsh.MinFPRate && p.FPRate < 1):
		return fmt.Errorf("fp-rate: %g is not at least %g and below 1", p.FPRate, lsh.MinFPRate)
	case !slices.Contains([]string{FilterTagged, FilterPaged, FilterClassic}, p.Filter):
		return fmt.Errorf("filter: %q is none of %s, %s and %s", p.Filter, FilterTagged, FilterPaged, FilterClassic)
	case p.isTagged() && p.Bands > maxTagged:
		return fmt.Errorf("filter: %s takes at most %d bands: use %s", FilterTagged, maxTagged, FilterPaged)
	case p.isTagged() && p.Votes == 1:
		return fmt.Errorf("filter: %s is for rules of several votes: one vote is of one record anyway: use %s",
			FilterTagged, FilterPaged)
	case p.Remember != RememberAll && p.Remember != RememberUnseen:
		return fmt.Errorf("remember: %q is neither %s nor %s", p.Remember, RememberAll, RememberUnseen)
	case p.OnFull != OnFullGrow && p.OnFull != OnFullRefuse:
		return fmt.Errorf("on-full: %q is neither %s nor %s", p.OnFull, OnFullGrow, OnFullRefuse)
	case p.grows() && p.Growth != GrowthDoubling && p.Growth != GrowthThreefold:
		return fmt.Errorf("growth: %q is neither %s nor %s", p.Growth, GrowthDoubling, GrowthThreefold)
	case p.grows() && !p.isTagged() && p.Growth == GrowthDoubling:
		return fmt.Errorf("growth: a filter of the kind %s cannot double", p.Filter)
	case p.KeepGenerations < 0 || p.KeepGenerations == 1 || p.KeepGenerations > maxKept:
		return fmt.Errorf("keep-generations: %d is not between 2 and %d", p.KeepGenerations, maxKept)
	case p.Generations < 0 || p.Generations == 1 || p.Generations > maxKept:
		return fmt.Errorf("generations: %d is not between 2 and %d", p.Generations, maxKept)
	case p.Generations > 0 && (p.forgets() || p.OnFull == OnFullRefuse):
		return errors.New("generations: they are for an index that grows and does not forget")
	case p.Memory > 0 && p.Filter == FilterClassic:
		return fmt.Errorf("the filter %s has no pages that could be read from disk: use %s", FilterClassic,
			FilterPaged)
	case p.ForgetAfter < 0 || p.ForgetAfter%time.Second != 0:
		return fmt.Errorf("forget-after: %v is not a number of seconds", p.ForgetAfter)
	case p.ForgetAfter > 0 && p.Bands > maxEarlyBands:
		return fmt.Errorf("bands: %d are more than %d, and no index with forget-after has more", p.Bands, maxEarlyBands)
	case p.ForgetAfter > 0 && p.KeepGenerations == 0:
		return errors.New("forget-after: give keep-generations too")
	case p.forgets() && p.OnFull == OnFullRefuse:
		return fmt.Errorf("on-full: an index that forgets is never full: leave %s out", OnFullRefuse)
	}
	return nil
}
