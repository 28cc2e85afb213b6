package fingerprints

import (
	"cmp"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// An Index finds fingerprints by distance. Equal fingerprints are remembered once, with the number
// of the first record. The memory for each distinct one depends on the measure: see
// Params.PeakBytes. An Index is not safe for concurrent use.
type Index struct {
	memory.Core
	params       Params
	finder       finder
	similarities []float32 // similarities for distances 0, 1, 2, …
	own          []uint64  // fingerprint of the current record
	decoded      []uint64  // the fingerprint that is read from a log
}

var _ memory.Index = (*Index)(nil)

// New returns an empty index. Load or Read fills it from a log.
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

// match converts a hit.
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

// Close frees the memory of the index.
func (x *Index) Close() error {
	err := x.finder.release()
	x.Core = memory.Core{}
	return err
}

// Near appends to dst the k records nearest to a fingerprint, or fewer, in ascending order of
// distance and then in the order of records. None is farther than the distance of the index.
// Nothing is remembered.
func (x *Index) Near(dst []memory.Match, fingerprint []uint64, k int) ([]memory.Match, error) {
	if err := x.Ready(fingerprint); err != nil {
		return dst, err
	}
	var found []hit
	x.finder.each(fingerprint, x.params.Distance, func(h hit) {
		if found = append(found, h); len(found) >= 2*k+1024 { // most of them can be discarded
			found = nearest(found, k)
		}
	})
	for _, h := range nearest(found, k) {
		dst = append(dst, x.match(h))
	}
	return dst, nil
}

// nearest returns the k nearest hits, in order.
func nearest(hits []hit, k int) []hit {
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Record, b.Record))
	})
	return hits[:min(len(hits), max(0, k))]
}

// NewGroups returns empty groups. They join all pairs of fingerprints within the distance.
func NewGroups(p Params) (*memory.Joined, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	return groupsBy(newFinder(p), p), nil
}

func groupsBy(f finder, p Params) *memory.Joined {
	return memory.NewJoined(&neighbours{finder: f, params: p}, p.Words())
}

// neighbours implements memory.Neighbours for fingerprints.
type neighbours struct {
	finder finder
	params Params
	own    []uint64 // the current fingerprint
}

func (n *neighbours) FindIdentical(fingerprint []uint64) (entry uint32, found bool, err error) {
	if len(fingerprint) != n.params.Words() {
		return 0, false, memory.ErrSize
	}
	n.own = fingerprint
	same := n.finder.nearest(fingerprint, 0)
	return uint32(same.Record - 1), same.Record > 0, nil
}

func (n *neighbours) EachNear(do func(entry uint32), _ func(entry uint32) bool) {
	n.finder.each(n.own, n.params.Distance, func(h hit) { do(uint32(h.Record - 1)) })
}

func (n *neighbours) Add(entry uint32) error { return n.finder.add(n.own, entry+1) }

// Cut returns 0, since all near fingerprints are found.
func (n *neighbours) Cut() uint64 { return 0 }

func (n *neighbours) Similarity(a, b []uint64) (similarity float64, resemble bool) {
	distance := n.params.distance(a, b)
	return n.params.Similarity(distance), distance <= n.params.Distance
}

func (n *neighbours) Close() error { return n.finder.release() }
