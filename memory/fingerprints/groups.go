package fingerprints

import "github.com/mithril-stream/mithril-stream/memory"

// NewGroups returns groups of no record. They join all pairs of fingerprints within the distance.
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

// neighbours are the memory.Neighbours of fingerprints, which say what the methods are for.
type neighbours struct {
	finder finder
	params Params
	own    []uint64 // the fingerprint at hand
}

func (n *neighbours) Same(fingerprint []uint64) (entry uint32, found bool, err error) {
	if len(fingerprint) != n.params.Words() {
		return 0, false, memory.ErrSize
	}
	n.own = fingerprint
	same := n.finder.nearest(fingerprint, 0)
	return uint32(same.Record - 1), same.Record > 0, nil
}

func (n *neighbours) EachNear(do func(entry uint32)) {
	n.finder.each(n.own, n.params.Distance, func(h hit) { do(uint32(h.Record - 1)) })
}

func (n *neighbours) Add(entry uint32) error { return n.finder.add(n.own, entry+1) }

func (n *neighbours) Similarity(a, b []uint64) (similarity float64, resemble bool) {
	distance := n.params.distance(a, b)
	return n.params.Similarity(distance), distance <= n.params.Distance
}

func (n *neighbours) Bytes() uint64 { return n.finder.bytes() }

func (n *neighbours) Close() error { return n.finder.release() }
