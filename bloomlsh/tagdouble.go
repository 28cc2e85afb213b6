package bloomlsh

import (
	"fmt"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A tagged table that doubles in place costs one cache line a lookup however long the stream has
// become (Dayan, Bercea, Reviriego, Pagh, InfiniFilter, SIGMOD 2023; Dayan, Bercea, Pagh, Aleph
// Filter, VLDB 2024).
//
// A page becomes two, which the first bit of the prints tells apart: each entry goes to one of them
// and loses that bit. An entry that has lost all of them goes to both. A new entry has all bits. So
// stray matches grow with the number of doublings, not with the size.
//
// The bits of a print come from the high end of a key's hash, so the bits that entries have lost
// are those that choose among the pages that a page became. A bit of 1 ends a print, and zeros
// follow.
//
// Nobody waits for a doubling: each record that is inserted divides a few pages, from the last one
// to the first, so that the two that a page becomes take the place of none that is still to be
// divided. How many are divided depends on the number of records alone, since an entry keeps a bit
// more in a page that is divided before it is entered.

// filterDoubling is what base files and logs call a tagged filter that doubles.
const filterDoubling = "doubling"

// divisionShare is the share of a table's records during whose insertion it is divided.
const divisionShare = 32

// doublings is how often a table has doubled.
type doublings uint

// plannedDoublings is how often a table can double until the promised rate is lost: it holds 64
// times what was planned for.
const plannedDoublings doublings = 9

// weight is how many stray matches the entries of a full table give, over those that they would
// give with whole prints. Of such a table half of the entries are whole, a quarter has lost a bit,
// and so on: each of these shares gives as many.
func (n doublings) weight() float64 { return 1 + float64(n)/2 }

// weigh is how many records with whole prints would give as many stray matches as the entries of
// that many records. Those of before a doubling give as many in the table that they have filled as
// in any later one.
func (g geometry) weigh(records float64) float64 {
	if g.doublings == 0 {
		return records
	}
	full := float64(g.capacity)
	return full*(g.doublings-1).weight() + max(0, records-full/2)
}

// doubles reports whether an index grows by doubling its only table.
func (p Params) doubles() bool {
	return p.isTagged() && p.grows() && p.Growth == GrowthDoubling
}

// double is the geometry after one more doubling.
func (g geometry) double() geometry {
	g.capacity, g.bandWords, g.doublings = 2*g.capacity, 2*g.bandWords, g.doublings+1
	return g
}

// doubledTo is the geometry of a table that begins as g and holds that many records.
func (g geometry) doubledTo(records uint64) geometry {
	for g.capacity < records && g.doublings < maxDoublings {
		g = g.double()
	}
	return g
}

// undivided is how many pages, of all bands, are still to be divided once that many records were
// inserted.
func (g geometry) undivided(inserted uint64) uint64 {
	if g.doublings == 0 {
		return 0
	}
	half, pages := g.capacity/2, g.words()/pageWords/2
	since, until := inserted-min(half, inserted), max(1, half/divisionShare)
	if since >= until {
		return 0
	}
	high, low := bits.Mul64(pages, since)
	divided, _ := bits.Div64(high, low, until)
	return pages - divided
}

// double begins to double a table, whose memory has grown.
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
	t.doublings, t.undivided = next.doublings, g.undivided(g.capacity/2)
	t.version++
	return nil
}

// growWords is offheap.Grow for what allocate has returned.
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
