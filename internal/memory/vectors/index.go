package vectors

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/rows"
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
	return vectors * uint64(8*rows.Words(p.Dims)+record) * 3 / 2
}

// An Index remembers vectors by the numbers of their records. It is for one goroutine at a time.
type Index struct {
	memory.Core
	params    Params
	bytes     int // of a row
	centroids centroids
	lists     []list

	// Scratch of one search.
	query    query
	products []int32
	nearest  []probe

	decoded  []int8 // the row of the entry that is read from a log
	restored int    // and its list
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index, which may Load or Read a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.Probes = cmp.Or(p.Probes, DefaultProbes)
	x := &Index{params: p, bytes: 8 * rows.Words(p.Dims), lists: []list{{limit: mostRows}}}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	x.centroids.add(make([]int8, x.bytes), 0)               // everything is near the only list
	x.decoded = bytesOf(make([]uint64, rows.Words(p.Dims))) // aligned
	return x, nil
}

// ask makes a row the query, and returns the best match.
func (x *Index) ask(row []uint64) (best found, err error) {
	if x.query.set(bytesOf(row)); x.query.squares == 0 {
		return best, errZero
	}
	return x.search(), nil
}

var errZero = errors.New("a row is zero, and has no direction")

// Stats describes the index as it is.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Lists, s.Bytes = uint64(len(x.lists)), x.centroids.memory()
	for i := range x.lists {
		s.Bytes += x.lists[i].memory()
	}
	return s
}

// Close gives the memory of the index back.
func (x *Index) Close() error {
	x.Core, x.lists, x.centroids = memory.Core{}, nil, centroids{}
	return nil
}

// add puts the row at hand into a list, and divides the list if it is full.
func (x *Index) add(record uint64, into int) {
	l := &x.lists[into]
	l.add(x.query.row, record, x.query.squares)
	if l.len() >= l.limit {
		x.divide(into)
	}
}

// noRecord is the number of a row that is forgotten.
const noRecord = 0

// found is what a search has found; the record is noRecord if that is nothing.
type found struct {
	record uint64
	cosine float64
}

func (f found) match() memory.Match {
	return memory.Match{Record: f.record, Similarity: float32(f.cosine)}
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
			if dot <= 0 || d*d < floor*float64(l.squares[i]) || l.records[i] == noRecord {
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
