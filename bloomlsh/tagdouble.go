package bloomlsh

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A tagged table that doubles in place costs one cache line per lookup, however long the stream has
// become (Dayan, Bercea, Reviriego, Pagh, InfiniFilter, SIGMOD 2023; Dayan, Bercea, Pagh, Aleph
// Filter, VLDB 2024).
//
// A page is divided into two by the first bit of the prints: each entry goes to one of the two
// pages and loses that bit. An entry that has no bits left goes to both. A new entry has all bits.
// So false matches grow with the number of doublings, not with the size.
//
// The bits of a print come from the high end of a key's hash, so the bits that entries have lost
// are those that choose among the pages that a page was divided into. A 1 bit ends a print, and
// zeros follow it.
//
// Nothing waits for a doubling. Each inserted record divides a few pages, from the last one to the
// first, so that the two new pages never overwrite one that is still to be divided. How many pages
// are divided depends only on the number of records, since an entry keeps one more bit if its page
// is divided before it is entered.

// filterDoubling is the name of a tagged filter that doubles, in base files and logs.
const filterDoubling = "doubling"

// divisionShare sets how fast a table is divided: during the insertion of 1/divisionShare of its
// records.
const divisionShare = 32

// doublings counts how often a table has doubled.
type doublings uint

// plannedDoublings is how often a table can double before it exceeds the promised rate. It then
// holds 480 times the planned number of records.
const plannedDoublings doublings = 9

// weight returns how many false matches the entries of a full table give, relative to entries with
// whole prints. Half of the entries are whole, a quarter have lost one bit, and so on; each of
// these groups gives the same number.
func (n doublings) weight() float64 { return 1 + float64(n)/2 }

// weigh returns how many records with whole prints would give as many false matches as the entries
// of that many records. Entries from before a doubling give as many in any later table as in the
// one they filled.
func (g geometry) weigh(records float64) float64 {
	if g.doublings == 0 {
		return records
	}
	first := math.Ldexp(float64(g.undoubled().capacity), int(g.doublings)) // of the entries that filled it at first
	return first + float64(g.capacity)*((g.doublings-1).weight()-1) + max(0, records-float64(g.before()))
}

// doubles reports whether an index grows by doubling its only table.
func (p Params) doubles() bool {
	return p.isTagged() && p.grows() && p.Growth == GrowthDoubling
}

// double returns the geometry after one more doubling. The first one makes space for 15/8 times as
// many records: a table that has doubled is filled less, so that fewer lookups go on to a second
// line. It has more places than a planned one anyway.
func (g geometry) double() geometry {
	if g.capacity *= 2; g.doublings == 0 {
		g.capacity -= (g.capacity + 15) / 16
	}
	g.bandWords, g.doublings = 2*g.bandWords, g.doublings+1
	return g
}

// before returns the capacity before the last doubling.
func (g geometry) before() uint64 {
	if g.doublings == 1 {
		return (8*g.capacity + 14) / 15
	}
	return g.capacity / 2
}

// undoubled returns the geometry before all doublings.
func (g geometry) undoubled() geometry {
	for ; g.doublings > 0; g.doublings-- {
		g.capacity, g.bandWords = g.before(), g.bandWords/2
	}
	return g
}

// doubledTo returns the geometry of a table that started as g and holds that many records.
func (g geometry) doubledTo(records uint64) geometry {
	for g.capacity < records && g.doublings < maxDoublings {
		g = g.double()
	}
	return g
}

// undivided returns how many pages, of all bands, are still to be divided after that many
// insertions.
func (g geometry) undivided(inserted uint64) uint64 {
	if g.doublings == 0 {
		return 0
	}
	before, pages := g.before(), g.words()/pageWords/2
	since, until := inserted-min(before, inserted), max(1, before/divisionShare)
	if since >= until {
		return 0
	}
	high, low := bits.Mul64(pages, since)
	divided, _ := bits.Div64(high, low, until)
	return pages - divided
}

// double starts to double a table, whose memory has grown.
func (g *generation) double() error {
	g.moveFirstTags()
	t := g.tags
	t.divideTo(0)
	next := g.geometry.double()
	words, err := growWords(g.words, next.words())
	if err != nil {
		return err
	}
	g.geometry, g.words = next, words
	t.words, t.at.words = words, words
	t.doublings, t.undivided = next.doublings, g.undivided(next.before())
	t.version++
	return nil
}

// growWords is offheap.Grow for words returned by allocate.
func growWords(words []uint64, to uint64) ([]uint64, error) {
	words, err := offheap.Grow(words[:cap(words)], offheap.RoundUp(to))
	if err != nil {
		return nil, err
	}
	return words[:to], nil
}

// keepUp divides the pages that are due.
func (g *generation) keepUp() {
	if g.tags != nil && g.tags.undivided > 0 {
		g.tags.divideTo(g.undivided(g.inserted))
	}
}

// double doubles the only table of an index.
func (h *history) double() error {
	g := h.current()
	if g.doublings == maxDoublings {
		return fmt.Errorf("%w: its table of %d records has doubled %d times: plan a larger capacity", ErrFull,
			g.inserted, g.doublings)
	}
	if limit, need := h.params.Memory, 2*g.bytes(); limit > 0 && need > limit {
		return short(need, limit, "the table of %d records is full, and one of twice the size takes %s, which is more "+
			"than the limit of %s: give a larger limit", g.inserted, units.Bytes(need), units.Bytes(limit))
	}
	if err := h.memory.check(g.bytes(), h.number(len(h.generations)-1)); err != nil {
		return err
	}
	return g.double()
}
