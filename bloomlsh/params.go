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

// Key is a band key: 128 bits that represent one band of a record's signature.
type Key = xxh3.Uint128

// PackKey makes a key of its two halves. Which of them is which matters: a key with its halves
// swapped is another key, and an index that was asked by it has never seen it.
func PackKey(high, low uint64) Key { return Key{Hi: high, Lo: low} }

// KeyOfBytes makes a key of 16 bytes, the high half first and each half big-endian, as Key.Bytes
// returns them, and as columns of band keys have them (mithril_keys of Spark and Ray).
func KeyOfBytes(b [16]byte) Key {
	return PackKey(binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:]))
}

// The values of Params.Filter, Params.Remember, Params.OnFull and Params.Growth.
const (
	FilterPaged   = "paged"   // page-local partitioned Bloom filter: fast
	FilterClassic = "classic" // the textbook Bloom filter of bits-and-blooms
	FilterTagged  = "tagged"  // keys and the groups that they belong to: only votes of one group count

	RememberAll    = "all"    // every record is inserted
	RememberUnseen = "unseen" // only records that are not duplicates are inserted

	OnFullGrow   = "grow"   // open a larger generation
	OnFullRefuse = "refuse" // return ErrFull

	GrowthDoubling  = "doubling"  // the only table of a tagged index doubles
	GrowthThreefold = "threefold" // each generation is 3 times as large as the one before
)

// Bounds of Params. They keep every size and rate that is computed from them finite and meaningful.
const (
	maxBands  = 1<<16 - 1 // votes are counted in 16 bits
	maxTagged = 1 << 15   // bands of a tagged index: a record of its log is longer
	// Every record is looked up in all generations, one after the other.
	maxKept = 64
)

var (
	// ErrFull says that the index holds as many records as it was planned for and may not grow
	// (OnFullRefuse).
	ErrFull = errors.New("index is full")
	// ErrMemory says that the memory that an index or its next generation needs is not there.
	ErrMemory = errors.New("not enough memory for the index")
)

// Params are the properties of an index. All of them change verdicts: an index answers only under
// the ones it was built with. Bands must be given; the zero value of each other field is a default.
type Params struct {
	Bands    int    // band keys of a record
	Votes    int    // of them that make a duplicate if they were seen; 0: one
	Capacity uint64 // records planned for; 0: 1,000,000
	// probability that the filters alone make a duplicate of an unseen record, with Capacity
	// records inserted; 0: 1e-8
	FPRate float64
	// Filter is FilterTagged, FilterPaged or FilterClassic. The default is FilterTagged where it
	// takes several votes to make a duplicate: one vote is always of one record. An index that is
	// opened keeps the kind that it has.
	Filter   string
	Remember string // RememberAll (the default) or RememberUnseen
	OnFull   string // OnFullGrow (the default) or OnFullRefuse
	// Growth is how an index grows that forgets nothing. By default an index that is opened goes on
	// as it has grown. A new one has GrowthDoubling if it is tagged and Memory is 0, else
	// GrowthThreefold.
	Growth string

	// KeepGenerations, if it is not 0, has the index forget: it has at most that many generations,
	// 2 or more, and drops the oldest one when a further one is opened. All of them but one hold
	// Capacity records together, so at least the last Capacity records that were inserted are
	// remembered.
	KeepGenerations int
	// ForgetAfter, if it is not 0, makes the index close and drop generations by the times of
	// records (ObserveAt), in whole seconds, instead of by their number. Whatever is not older than
	// that is remembered. Capacity is the number of records planned for in that time.
	ForgetAfter time.Duration

	// Generations, if it is more than 1, divides Capacity among that many generations of equal
	// size. Beyond Capacity there come more of that size.
	Generations int
	// Memory, if it is not 0, is how many bytes the filters may take in memory. Older generations
	// beyond that are read from disk. It changes no verdict, and is not written in the index.
	Memory uint64

	// PageSeed is mixed into the choice of the pages and lines of a paged filter, and written in
	// the index. With 0 anybody can find keys that meet in one page, and fill it on purpose, so
	// that it takes for known what it was never given.
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

// Unplanned returns parameters for a stream of unknown length: a table that doubles begins with
// half of the Capacity.
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

// grows reports whether further generations are larger than the first.
func (p Params) grows() bool { return p.OnFull == OnFullGrow && !p.forgets() && p.Generations == 0 }

// forgets reports whether generations are dropped.
func (p Params) forgets() bool { return p.KeepGenerations > 0 }

// generations is how many of them are planned for.
func (p Params) generations() int { return max(1, p.KeepGenerations, p.Generations) }

// Divide returns parameters with enough Generations that one of them fits into Memory. Fewer would
// not fit, and more are slower to ask. The parameters stay the same if a single generation fits, or
// if generations are dropped.
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

// Validate returns an error that names the first parameter that cannot be used.
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
