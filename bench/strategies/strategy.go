package main

import (
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
	probes       int // second choices of a band that are looked up
	enough       int // candidates of a forest; 0: it is none
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
	plainBands("9 bands of 7 rows", 9, 7),
	plainBands("9 bands of 6 rows", 9, 6),
}

// bytes is what a record takes at most in the tables of the program, and its signature there.
func (s strategy) bytes() int {
	const table = 8 * 1.5 / .85
	return int(table*float64(s.bands+1)) + 8 + slots
}

// A result is what a strategy has done for all records.
type result struct{ found, lookups, met, verified int }

// run compares each record with those before it. truth says which have an earlier one at the
// threshold.
func (s strategy) run(records []record, threshold float64, truth []float64) (all result) {
	x := newTables(s)
	for i := range records {
		candidates := x.candidates(&records[i], &all)
		found := false
		for _, c := range candidates {
			all.verified++
			found = found || records[i].jaccard(&records[c]) >= threshold
		}
		if found && truth[i] > 0 {
			all.found++
		}
		x.add(&records[i], int32(i))
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
	}
}

// candidates returns the records that are found in enough trees, and counts what it looks up, and
// the records that it meets, each as often as it does.
func (x *tables) candidates(r *record, cost *result) (all []int32) {
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
			for _, slot := range x.choices(r, from, to) {
				slots := slices.Clone(r.first[from:to])
				slots[slot-from] = r.second[slot]
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

// choices are the slots of a band whose second choice is looked up: those whose two least hashes
// are the nearest to each other. There the second is the likeliest one in a text that lacks the
// first.
func (x *tables) choices(r *record, from, to int) (all []int) {
	if x.probes == 0 {
		return nil
	}
	for slot := from; slot < to; slot++ {
		all = append(all, slot)
	}
	slices.SortFunc(all, func(a, b int) int {
		if r.second[a]-r.first[a] < r.second[b]-r.first[b] {
			return -1
		}
		return 1
	})
	return all[:min(x.probes, len(all))]
}
