package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A strategy finds candidates by tables, one for each band of rows slots. The bands are shared out
// among trees; a candidate must be found in at least so many of them. A strategy may also look up
// keys that a record would have if one slot of a band had its second choice; and a forest looks up
// shorter and shorter prefixes of bands until it has enough candidates.
type strategy struct {
	name         string
	bands, rows  int
	trees, least int
	probes       int // other keys of a band that are looked up: by second choices, or by perturb
	// perturb changes one slot. Then a record also stands under its other keys. It is nil if they
	// are second choices.
	perturb func(slot uint64, rng *rand.Rand) uint64
	enough  int // candidates of a forest; 0: it is none
}

func plainBands(name string, bands, rows int) strategy {
	return strategy{name: name, bands: bands, rows: rows, trees: bands, least: 1}
}

func votes(name string, bands, rows, least int) strategy {
	return strategy{name: name, bands: bands, rows: rows, trees: bands, least: least}
}

func majority(name string, trees, bands, rows int) strategy {
	return strategy{name: name, bands: bands, rows: rows, trees: trees, least: trees/2 + 1}
}

func multiProbe(name string, bands, rows, probes int) strategy {
	return strategy{name: name, bands: bands, rows: rows, trees: bands, least: 1, probes: probes}
}

// perturbed probes as the class LSHImproved of the Python package deduplication does.
func perturbed(name string, bands, rows, probes int, how func(uint64, *rand.Rand) uint64) strategy {
	s := multiProbe(name, bands, rows, probes)
	s.perturb = how
	return s
}

// Its three perturbations of a slot: nearby_banding, bit_flip and gaussian.
func nearby(slot uint64, rng *rand.Rand) uint64 { return (slot + 1 + rng.Uint64N(9)) % 100 }
func bitFlip(slot uint64, _ *rand.Rand) uint64  { return slot ^ 1 }
func gaussian(slot uint64, rng *rand.Rand) uint64 {
	return math.Float64bits(float64(slot>>32) + rng.NormFloat64()) // a slot has 32 bits there
}

func forest(name string, bands, rows, enough int) strategy {
	return strategy{name: name, bands: bands, rows: rows, trees: bands, least: 1, enough: enough}
}

// strategies begin with the one that others are compared with.
var strategies = []strategy{
	plainBands("14 bands of 9 rows", 14, 9),
	plainBands("14 bands of 8 rows", 14, 8),
	plainBands("14 bands of 7 rows", 14, 7),
	plainBands("14 bands of 6 rows", 14, 6),
	plainBands("14 bands of 5 rows", 14, 5),
	plainBands("16 bands of 8 rows", 16, 8),
	votes("2 votes of 14 bands of 7 rows", 14, 7, 2),
	votes("2 votes of 14 bands of 6 rows", 14, 6, 2),
	votes("3 votes of 14 bands of 5 rows", 14, 5, 3),
	majority("majority of 3 trees, 15 bands of 5 rows", 3, 15, 5),
	majority("majority of 3 trees, 15 bands of 6 rows", 3, 15, 6),
	majority("majority of 5 trees, 15 bands of 4 rows", 5, 15, 4),
	forest("forest of 14 trees, until 1 candidate", 14, 9, 1),
	forest("forest of 14 trees, until 10 candidates", 14, 9, 10),
	multiProbe("14 bands of 9 rows, 3 probes", 14, 9, 3),
	multiProbe("14 bands of 9 rows, 9 probes", 14, 9, 9),
	multiProbe("10 bands of 12 rows, 12 probes", 10, 12, 12),
	multiProbe("9 bands of 9 rows, 9 probes", 9, 9, 9),
	perturbed("14 bands of 9 rows, 9 probes by bit_flip", 14, 9, 9, bitFlip),
	perturbed("14 bands of 9 rows, 9 probes by nearby_banding", 14, 9, 9, nearby),
	perturbed("14 bands of 9 rows, 9 probes by gaussian", 14, 9, 9, gaussian),
	plainBands("20 bands of 5 rows", 20, 5),
	perturbed("20 bands of 5 rows, 4 probes by nearby_banding", 20, 5, 4, nearby),
	plainBands("9 bands of 7 rows", 9, 7),
	plainBands("9 bands of 6 rows", 9, 6),
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
	groups := newGroups(len(records))
	for i := range records {
		candidates := x.candidates(&records[i], int32(i), &all)
		found := false
		for _, c := range candidates {
			all.verified++
			if records[i].jaccard(&records[c]) >= threshold {
				groups.join(int32(i), c)
				found = true
			}
		}
		if found && truth[i] > 0 {
			all.found++
		}
		x.add(&records[i], int32(i))
	}
	all.clusters = groups.count()
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
