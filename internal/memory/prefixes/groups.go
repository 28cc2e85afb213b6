package prefixes

import (
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
)

// NewGroups returns empty groups. They join two records whose sets are similar.
func NewGroups(p Params) (*memory.Joined, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	x, err := New(p)
	if err != nil {
		return nil, err
	}
	return memory.NewJoined(&neighbours{Index: x}, 0), nil
}

// neighbours implements memory.Neighbours.
type neighbours struct {
	*Index
	near []candidate // for the current record
	a, b []uint64    // scratch: the hashes of two sets
	err  error       // of reading a set
}

// FindIdentical compares the sketch with the entries whose bound is 1.
func (n *neighbours) FindIdentical(words []uint64) (entry uint32, found bool, err error) {
	if err := errors.Join(n.err, n.Ready(words)); err != nil {
		return 0, false, err
	}
	if err := n.own.set(words); err != nil {
		return 0, false, err
	}
	n.putKeys()
	n.near = n.candidates(n.params.Threshold)
	n.cut += uint64(boolToInt(n.isCut))
	for _, c := range n.near {
		if c.most < 1 {
			continue
		}
		similarity, err := n.similarity(c.entry)
		if err != nil || similarity == 1 {
			return c.entry, err == nil, err
		}
	}
	return 0, false, nil
}

// EachNear compares the sketch with at most mostCompared of its candidates.
func (n *neighbours) EachNear(do func(entry uint32), isKnown func(entry uint32) bool) {
	rest := byBound(n.near)
	rest.order()
	for compared := 0; len(rest) > 0; compared++ {
		if compared == mostCompared {
			n.cut += uint64(boolToInt(!n.isCut))
			return
		}
		c := rest.take()
		similarity, err := n.similarity(c.entry)
		if err != nil {
			n.err = errors.Join(n.err, err)
			return
		}
		if similarity >= n.params.Threshold {
			do(c.entry)
			rest = slices.DeleteFunc(rest, func(c candidate) bool { return isKnown(c.entry) })
			rest.order()
		}
	}
}

// Add remembers the current record, unless comparing it failed.
func (n *neighbours) Add(entry uint32) error {
	if n.err != nil {
		return n.err
	}
	return kind{n.Index}.Remember(uint64(entry)+1, nil)
}

// Cut returns how many records were not compared with all candidates.
func (n *neighbours) Cut() uint64 { return n.cut }

// Similarity returns the similarity of two sketches.
func (n *neighbours) Similarity(earlier, later []uint64) (similarity float64, resemble bool) {
	var err error
	if n.a, err = unpack(n.a[:0], int(earlier[0]), earlier[1:]); err == nil {
		n.b, err = unpack(n.b[:0], int(later[0]), later[1:])
	}
	if err != nil || len(n.a) == 0 || len(n.b) == 0 {
		n.err = errors.Join(n.err, err)
		return 0, false
	}
	similarity = packedset.Jaccard(len(n.a), len(n.b), Form.CommonExactly(n.a, n.b))
	return similarity, similarity >= n.params.Threshold
}

// Close also returns the first error of an earlier comparison.
func (n *neighbours) Close() error { return errors.Join(n.err, n.Index.Close()) }
