package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/memory/union"
	"github.com/zeebo/xxh3"
)

// A strategy finds candidates by tables, one for each band of rows slots. The bands are shared out
// among trees; a candidate must be found in at least so many of them. A strategy may also look up
// keys that a record would have if one slot of a band had its second choice; and a forest looks up
// shorter and shorter prefixes of bands until it has enough candidates.
type strategy struct {
	name         string
	bands, rows  int
	trees, least int // a tree for each band, and one of them, where they are 0
	probes       int // other keys of a band that are looked up: by second choices, or by perturb
	// perturb changes one slot. Then a record also stands under its other keys. It is nil if they
	// are second choices.
	perturb func(slot uint64, rng *rand.Rand) uint64
	enough  int // candidates of a forest; 0: it is none
}

// The perturbations of a slot by the class LSHImproved of the Python package deduplication:
// nearby_banding, bit_flip and gaussian.
func nearby(slot uint64, rng *rand.Rand) uint64 { return (slot + 1 + rng.Uint64N(9)) % 100 }
func bitFlip(slot uint64, _ *rand.Rand) uint64  { return slot ^ 1 }
func gaussian(slot uint64, rng *rand.Rand) uint64 {
	return math.Float64bits(float64(slot>>32) + rng.NormFloat64()) // a slot has 32 bits there
}

// strategies begin with the one that others are compared with.
var strategies = []strategy{
	{name: "14 bands of 9 rows", bands: 14, rows: 9},
	{name: "14 bands of 8 rows", bands: 14, rows: 8},
	{name: "14 bands of 7 rows", bands: 14, rows: 7},
	{name: "14 bands of 6 rows", bands: 14, rows: 6},
	{name: "14 bands of 5 rows", bands: 14, rows: 5},
	{name: "16 bands of 8 rows", bands: 16, rows: 8},
	{name: "2 votes of 14 bands of 7 rows", bands: 14, rows: 7, least: 2},
	{name: "2 votes of 14 bands of 6 rows", bands: 14, rows: 6, least: 2},
	{name: "3 votes of 14 bands of 5 rows", bands: 14, rows: 5, least: 3},
	{name: "majority of 3 trees, 15 bands of 5 rows", bands: 15, rows: 5, trees: 3, least: 2},
	{name: "majority of 3 trees, 15 bands of 6 rows", bands: 15, rows: 6, trees: 3, least: 2},
	{name: "majority of 5 trees, 15 bands of 4 rows", bands: 15, rows: 4, trees: 5, least: 3},
	{name: "forest of 14 trees, until 1 candidate", bands: 14, rows: 9, enough: 1},
	{name: "forest of 14 trees, until 10 candidates", bands: 14, rows: 9, enough: 10},
	{name: "14 bands of 9 rows, 3 probes", bands: 14, rows: 9, probes: 3},
	{name: "14 bands of 9 rows, 9 probes", bands: 14, rows: 9, probes: 9},
	{name: "10 bands of 12 rows, 12 probes", bands: 10, rows: 12, probes: 12},
	{name: "9 bands of 9 rows, 9 probes", bands: 9, rows: 9, probes: 9},
	{name: "14 bands of 9 rows, 9 probes by bit_flip", bands: 14, rows: 9, probes: 9, perturb: bitFlip},
	{name: "14 bands of 9 rows, 9 probes by nearby_banding", bands: 14, rows: 9, probes: 9, perturb: nearby},
	{name: "14 bands of 9 rows, 9 probes by gaussian", bands: 14, rows: 9, probes: 9, perturb: gaussian},
	{name: "20 bands of 5 rows", bands: 20, rows: 5},
	{name: "20 bands of 5 rows, 4 probes by nearby_banding", bands: 20, rows: 5, probes: 4, perturb: nearby},
	{name: "9 bands of 7 rows", bands: 9, rows: 7},
	{name: "9 bands of 6 rows", bands: 9, rows: 6},
}

// bytes is what a record takes at most in the tables of the program, and its signature there.
func (s strategy) bytes() int {
	const table = 8 * 1.5 / .85
	keys := s.bands
	if s.perturb != nil {
		keys *= 1 + s.probes
	}
	return int(table*float64(keys+1)) + 8 + slots
}

// A result is what a strategy has done for all records.
type result struct {
	found, lookups, met, verified int
	clusters                      int // groups of two and more, joined by what was found
}

// run compares each record with those before it. truth says which have an earlier one at the
// threshold.
func (s strategy) run(records []record, threshold float64, truth []float64) (all result) {
	x := newTables(s)
	var groups union.Groups
	for i := range records {
		groups.Add()
		candidates := x.candidates(&records[i], int32(i), &all)
		found := false
		for _, c := range candidates {
			all.verified++
			if records[i].jaccard(&records[c]) >= threshold {
				groups.Join(uint32(i), uint32(c))
				found = true
			}
		}
		if found && truth[i] > 0 {
			all.found++
		}
		x.add(&records[i], int32(i))
	}
	for range groups.All() {
		all.clusters++
	}
	return all
}

// tables lead from keys to records: one for each band, of a forest one for each length of a prefix.
type tables struct {
	strategy
	maps  [][]map[uint64][]int32 // by band, then by what is left out of it
	seen  map[int64]bool         // scratch: tree and record
	count map[int32]int          // scratch: trees of a record
}

func newTables(s strategy) *tables {
	s.trees, s.least = cmp.Or(s.trees, s.bands), cmp.Or(s.least, 1)
	x := &tables{strategy: s, seen: map[int64]bool{}, count: map[int32]int{}}
	prefixes := 1
	if s.enough > 0 {
		prefixes = s.rows
	}
	for range s.bands {
		of := make([]map[uint64][]int32, prefixes)
		for i := range of {
			of[i] = map[uint64][]int32{}
		}
		x.maps = append(x.maps, of)
	}
	return x
}

func keyOf(slots []uint64) uint64 {
	return xxh3.Hash(unsafe.Slice((*byte)(unsafe.Pointer(&slots[0])), 8*len(slots)))
}

func (x *tables) add(r *record, number int32) {
	for band := range x.bands {
		for i, table := range x.maps[band] {
			key := keyOf(r.first[band*x.rows : (band+1)*x.rows-i])
			table[key] = append(table[key], number)
		}
		if x.perturb == nil {
			continue
		}
		for _, slots := range x.others(r, number, band*x.rows, (band+1)*x.rows) {
			key := keyOf(slots)
			x.maps[band][0][key] = append(x.maps[band][0][key], number)
		}
	}
}

// candidates returns the records that are found in enough trees, and counts what it looks up, and
// the records that it meets, each as often as it does.
func (x *tables) candidates(r *record, number int32, cost *result) (all []int32) {
	clear(x.seen)
	clear(x.count)
	meet := func(band, short int, slots []uint64) {
		cost.lookups++
		for _, c := range x.maps[band][short][keyOf(slots)] {
			cost.met++
			if at := int64(band%x.trees)<<32 | int64(c); !x.seen[at] {
				x.seen[at] = true
				x.count[c]++
			}
		}
	}
	for short := range max(1, min(x.rows, x.enough*x.rows)) {
		for band := range x.bands {
			from, to := band*x.rows, (band+1)*x.rows-short
			meet(band, short, r.first[from:to])
			for _, slots := range x.others(r, number, from, to) {
				meet(band, short, slots)
			}
		}
		if len(x.count) >= x.enough {
			break
		}
	}
	for c, n := range x.count {
		if n >= x.least {
			all = append(all, c)
		}
	}
	return all
}

// others are a band of slots with one of them changed, for each probe. Second choices are those of
// the slots whose two least hashes are the nearest to each other: there the second is the likeliest
// one in a text that lacks the first. A perturbation changes slots by chance, of a record always
// the same.
func (x *tables) others(r *record, number int32, from, to int) (all [][]uint64) {
	with := func(slot int, value uint64) {
		slots := slices.Clone(r.first[from:to])
		slots[slot-from] = value
		all = append(all, slots)
	}
	switch {
	case x.probes == 0:
	case x.perturb != nil:
		rng := rand.New(rand.NewPCG(uint64(number), uint64(from)))
		for range x.probes {
			slot := from + rng.IntN(to-from)
			with(slot, x.perturb(r.first[slot], rng))
		}
	default:
		for _, slot := range r.nearest(from, to)[:min(x.probes, to-from)] {
			with(slot, r.second[slot])
		}
	}
	return all
}
