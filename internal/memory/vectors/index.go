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

// Params configures an Index.
type Params struct {
	Dims      int     // dimensions of each vector; at least 1
	Threshold float64 // minimum cosine of a match; above 0 and at most 1
	// UnseenOnly makes the index remember only vectors without a match.
	UnseenOnly bool
	// Probes is the number of lists that a search reads; 0 means DefaultProbes. More lists find
	// more matches and take more time.
	Probes int
	// Within confines matches: a sketch is a row and a word, and rows match those with the same
	// word.
	Within bool
}

// DefaultProbes is the default of Params.Probes.
const DefaultProbes = 8

// maxDims keeps scalar products within 32 bits, and lists within a few megabytes.
const maxDims = 1 << 14

// Validate returns an error if the parameters are invalid.
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

// words returns the number of words of a sketch.
func (p Params) words() int {
	n := rows.Words(p.Dims)
	if p.Within {
		n++
	}
	return n
}

// Memory returns the memory in bytes of an index of that many vectors, including the spare capacity
// of lists.
func (p Params) Memory(vectors uint64) uint64 {
	const record = 8 + 4 // number and length
	return vectors * uint64(8*p.words()+record) * 3 / 2
}

// An Index remembers vectors with the numbers of their records. Only one goroutine may use it at a
// time.
type Index struct {
	memory.Core
	params    Params
	bytes     int // of a row
	centroids centroids
	lists     []list

	// Scratch space of a search.
	query    query
	products []int32
	nearest  []probe

	decoded  []int8 // the row of the entry that is read from a log
	restored int    // and its list
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index. Load or Read fills it from a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	p.Probes = cmp.Or(p.Probes, DefaultProbes)
	x := &Index{params: p, bytes: 8 * rows.Words(p.Dims), lists: []list{{limit: mostRows}}}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	x.PlaceForgottenBy(kind{x}.place)
	// the only list is nearest to everything
	x.centroids.add(make([]int8, x.bytes), 0)
	x.decoded = bytesOf(make([]uint64, rows.Words(p.Dims))) // aligned
	return x, nil
}

// searchRow sets the query to the row of a sketch and returns its best match.
func (x *Index) searchRow(sketch []uint64) (best found, err error) {
	row := x.bytes / 8
	if x.query.set(bytesOf(sketch[:row])); x.query.squares == 0 {
		return best, errZero
	}
	if x.params.Within {
		x.query.within = sketch[row]
	}
	return x.search(), nil
}

var errZero = errors.New("a row is zero, and has no direction")

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Lists, s.Bytes = uint64(len(x.lists)), x.centroids.memory()
	for i := range x.lists {
		s.Bytes += x.lists[i].memory()
	}
	return s
}

// Close frees the memory of the index.
func (x *Index) Close() error {
	x.Core, x.lists, x.centroids = memory.Core{}, nil, centroids{}
	return nil
}

// add appends the current row to a list, and splits the list if it is full.
func (x *Index) add(record uint64, into int) {
	l := &x.lists[into]
	l.add(x.query.row, record, x.query.squares)
	if x.params.Within {
		l.within = append(l.within, x.query.within)
	}
	if l.len() >= l.limit {
		x.divide(into)
	}
}

// noRecord is the record number of a forgotten row.
const noRecord = 0

// found is the result of a search. Its record is noRecord if nothing was found.
type found struct {
	record uint64
	cosine float64
}

func (f found) match() memory.Match {
	return memory.Match{Record: f.record, Similarity: float32(f.cosine)}
}

// search returns the best match for the query in the nearest lists.
func (x *Index) search() (best found) {
	x.each(x.params.Threshold, func(f found) {
		if f.cosine > best.cosine || f.cosine == best.cosine && f.record < best.record {
			best = f
		}
	})
	return best
}

// each calls do with the rows of the nearest lists whose cosine with the query is at least
// threshold, and above 0, in any order.
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
			if x.params.Within && l.within[i] != x.query.within {
				continue
			}
			if cosine := x.query.cosine(dot, l.squares[i]); cosine >= threshold {
				do(found{l.records[i], cosine})
			}
		}
	}
}

// product returns space for n scalar products.
func (x *Index) product(n int) []int32 {
	x.products = slices.Grow(x.products[:0], n)[:n]
	return x.products
}

// A probe is a list to search, with the score of its centroid.
type probe struct {
	score float64
	list  int32
}

// findNearest finds the lists whose centroids are nearest to the query, in ascending order of
// distance.
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
