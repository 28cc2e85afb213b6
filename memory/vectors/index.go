package vectors

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Params say what an Index is asked for.
type Params struct {
	Dims      int     // of each vector; at least 1
	Threshold float64 // the least cosine of a match; above 0 and at most 1
	// UnseenOnly says that only vectors without a match are remembered.
	UnseenOnly bool
	// Probes is in how many lists a vector is looked for; 0 is DefaultProbes. With more, more is
	// found, in more time.
	Probes int
}

// DefaultProbes is in how many lists a vector is looked for.
const DefaultProbes = 8

// maxDims keeps scalar products within 32 bits, and lists within a few megabytes.
const maxDims = 1 << 14

// Validate says what is wrong with p.
func (p Params) Validate() error {
	switch {
	case p.Dims < 1 || p.Dims > maxDims:
		return fmt.Errorf("vectors of %d dimensions: they must have between 1 and %d", p.Dims, maxDims)
	case !(p.Threshold > 0 && p.Threshold <= 1):
		return fmt.Errorf("a threshold of %v: the cosine must be above 0 and at most 1", p.Threshold)
	case p.Probes < 0:
		return fmt.Errorf("%d probes: at least one list must be looked into", p.Probes)
	}
	return nil
}

// Memory is how many bytes an index of so many vectors takes, with the room that lists have for
// more.
func (p Params) Memory(vectors uint64) uint64 {
	const record = 8 + 4 // number and length
	return vectors * uint64(rowBytes(p.Dims)+record) * 3 / 2
}

// A Match is what is found for a vector.
type Match struct {
	Record     uint64  // the number of the earlier record of the largest cosine, from 1; 0 if there is none
	Similarity float32 // the cosine
}

// An Index remembers vectors by the numbers of their records. It is for one goroutine at a time.
type Index struct {
	params    Params
	bytes     int // of a row
	centroids centroids
	lists     []list
	log       *Log // or nil

	records, duplicates, copies, entries uint64

	// Scratch of one search.
	query    query
	products []int32
	nearest  []probe
}

// New returns an empty index.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.Probes == 0 {
		p.Probes = DefaultProbes
	}
	x := &Index{params: p, bytes: rowBytes(p.Dims), lists: []list{{limit: mostRows}}}
	x.centroids.add(make([]int8, x.bytes), 0) // everything is near the only list
	return x, nil
}

// Observe finds a match for each row, one after the other, and remembers the row. There are
// len(matches) rows. It returns how many of them it has observed: all, unless there is an error.
func (x *Index) Observe(rows []uint64, matches []Match) (observed int, err error) {
	clear(matches)
	return x.ObserveBeside(rows, matches)
}

// ObserveBeside is Observe for records that other indexes were asked about before: what these have
// found stands in matches, and stays there if this index knows nothing that is nearer.
func (x *Index) ObserveBeside(rows []uint64, matches []Match) (observed int, err error) {
	for i := range matches {
		own, err := x.ask(rows, i, len(matches))
		if err != nil {
			return i, err
		}
		matches[i] = closer(matches[i], own)
		x.records++
		if matches[i].Record != 0 {
			x.duplicates++
		}
		switch {
		case own.cosine == 1: // what resembles this one resembles that one
			x.copies++
		case matches[i].Record == 0 || !x.params.UnseenOnly:
			if err := x.remember(x.records, int(x.nearest[0].list)); err != nil {
				return i, err
			}
		}
	}
	return len(matches), nil
}

// Query asks about some records like ObserveBeside, and remembers nothing.
func (x *Index) Query(rows []uint64, matches []Match) error {
	for i := range matches {
		own, err := x.ask(rows, i, len(matches))
		if err != nil {
			return err
		}
		matches[i] = closer(matches[i], own)
	}
	return nil
}

// ask looks for row i of some.
func (x *Index) ask(rows []uint64, i, count int) (best found, err error) {
	words := x.bytes / 8
	if len(rows) != words*count {
		return best, fmt.Errorf("%d words of %d rows: each must have %d", len(rows), count, words)
	}
	if x.query.set(bytesOf(rows[i*words : (i+1)*words])); x.query.squares == 0 {
		return best, errZero
	}
	return x.search(), nil
}

// closer returns the closer of two matches, the first if they are equal.
func closer(m Match, own found) Match {
	if own.record != 0 && (m.Record == 0 || float32(own.cosine) > m.Similarity) {
		return Match{own.record, float32(own.cosine)}
	}
	return m
}

var errZero = errors.New("a row is zero, and has no direction")

// Pass counts n records that have no vector, so that the numbers of others are right.
func (x *Index) Pass(n int) { x.records += uint64(n) }

// Stats describes an Index.
type Stats struct {
	Records    uint64 // that were observed or passed
	Duplicates uint64 // of them, those with a match
	Copies     uint64 // of them, those with the cosine 1, which are not remembered
	Entries    uint64 // rows that are remembered
	Lists      uint64
	Bytes      uint64 // of memory
}

// Stats describes the index as it is.
func (x *Index) Stats() Stats {
	s := Stats{
		Records: x.records, Duplicates: x.duplicates, Copies: x.copies, Entries: x.entries,
		Lists: uint64(len(x.lists)), Bytes: x.centroids.memory(),
	}
	for i := range x.lists {
		s.Bytes += x.lists[i].memory()
	}
	return s
}

// remember puts the row at hand into a list, and divides the list if it is full.
func (x *Index) remember(record uint64, into int) error {
	if x.log != nil {
		if err := x.log.entry(record, into, x.query.row); err != nil {
			return err
		}
	}
	l := &x.lists[into]
	l.add(x.query.row, record, x.query.squares)
	x.entries++
	if l.len() >= l.limit {
		x.divide(into)
	}
	return nil
}

// found is what a search has found; the record is 0 if that is nothing.
type found struct {
	record uint64
	cosine float64
}

// search finds the best match for the query in the nearest lists.
func (x *Index) search() (best found) {
	x.each(x.params.Threshold, func(f found) {
		if f.cosine > best.cosine || f.cosine == best.cosine && f.record < best.record {
			best = f
		}
	})
	return best
}

// each hands over the rows of the nearest lists whose cosine with the query is at least threshold,
// and above 0, in any order.
func (x *Index) each(threshold float64, do func(found)) {
	x.findNearest()
	floor := threshold * threshold * float64(x.query.squares) * (1 - 1e-9)
	for _, p := range x.nearest {
		l := &x.lists[p.list]
		products := x.product(l.len())
		dots(products, x.query.wide, l.rows)
		for i, dot := range products {
			d := float64(dot)
			if dot <= 0 || d*d < floor*float64(l.squares[i]) {
				continue
			}
			if cosine := x.query.cosine(dot, l.squares[i]); cosine >= threshold {
				do(found{l.records[i], cosine})
			}
		}
	}
}

// product is room for n scalar products.
func (x *Index) product(n int) []int32 {
	x.products = slices.Grow(x.products[:0], n)[:n]
	return x.products
}

// A probe is a list, and how near its centroid is.
type probe struct {
	score float64
	list  int32
}

// findNearest finds the lists whose centroids are nearest to the query, the nearest first.
func (x *Index) findNearest() {
	x.nearest = x.nearest[:0]
	products := x.product(len(x.lists))
	dots(products, x.query.wide, x.centroids.rows)
	length := x.query.length()
	worst := math.Inf(-1)
	for i, dot := range products {
		score := x.centroids.score(i, dot, length)
		if len(x.nearest) == x.params.Probes {
			if score <= worst {
				continue
			}
			x.nearest = x.nearest[:len(x.nearest)-1]
		}
		at, _ := slices.BinarySearchFunc(x.nearest, score, func(p probe, score float64) int {
			if p.score >= score {
				return -1
			}
			return 1
		})
		x.nearest = slices.Insert(x.nearest, at, probe{score, int32(i)})
		worst = x.nearest[len(x.nearest)-1].score
	}
}
