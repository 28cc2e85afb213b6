package fingerprints

import "github.com/mithril-stream/mithril-stream/memory"

// Index remembers fingerprints. Equal ones are remembered once, with the number of the first record
// that had it. What it takes in memory for each different one follows from the measure: see
// Params.PeakBytes. An Index is not safe for concurrent use.
type Index struct {
	memory.Core
	params       Params
	finder       finder
	similarities []float32 // that distances say, in falling order
	own          []uint64  // the fingerprint of the record at hand
	decoded      []uint64  // of the entry that is read from a log
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index, which may Load or Read a log.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{params: p, finder: newFinder(p), decoded: make([]uint64, p.Words())}
	for distance := range p.Distance + 1 {
		x.similarities = append(x.similarities, float32(p.Similarity(distance)))
	}
	x.Core = memory.NewCore(kind{x}, p.UnseenOnly)
	return x, nil
}

// match is what is said of a hit.
func (x *Index) match(h hit) memory.Match {
	if h.Record == 0 {
		return memory.Match{}
	}
	return memory.Match{Record: h.Record, Similarity: x.similarities[h.Distance]}
}

// Stats describes the index.
func (x *Index) Stats() memory.Stats {
	s := x.Counted()
	s.Bytes = x.finder.bytes()
	return s
}

// Close gives the memory of the index back.
func (x *Index) Close() error {
	err := x.finder.release()
	x.Core = memory.Core{}
	return err
}
