package prefixes

import (
	"errors"

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
	alike []uint32 // the entries that resemble the current record
	a, b  []uint64 // scratch: the hashes of two sets
	err   error    // of reading a set
}

// FindIdentical compares the sketch with all that may be similar, so that EachNear need not.
func (n *neighbours) FindIdentical(words []uint64) (entry uint32, found bool, err error) {
	if err := errors.Join(n.err, n.Ready(words)); err != nil {
		return 0, false, err
	}
	if err := n.own.set(words); err != nil {
		return 0, false, err
	}
	n.putKeys()
	n.alike = n.alike[:0]
	candidates := n.candidates(n.params.Threshold)
	n.cut += uint64(boolToInt(n.isCut))
	sortByBound(candidates)
	for _, c := range candidates {
		similarity, err := n.similarity(c.entry)
		switch {
		case err != nil:
			return 0, false, err
		case similarity == 1:
			return c.entry, true, nil
		case similarity >= n.params.Threshold:
			n.alike = append(n.alike, c.entry)
		}
	}
	return 0, false, nil
}

func (n *neighbours) EachNear(do func(entry uint32)) {
	for _, entry := range n.alike {
		do(entry)
	}
}

// Add remembers the current record.
func (n *neighbours) Add(entry uint32) error {
	return kind{n.Index}.Remember(uint64(entry)+1, nil)
}

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
