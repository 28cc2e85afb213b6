package samples

import (
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// NewGroups returns groups of no record. They join pairs of which the one has the threshold of the
// other, whichever of them comes first. What is common is decided when a record is added. One
// of the same sample as an earlier one is joined with that one alone.
func NewGroups(p Params) (*memory.Joined, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	p.Either, p.Beside = true, fracminhash.Nothing
	x, err := New(p)
	if err != nil {
		return nil, err
	}
	return memory.NewJoined(&neighbours{x}, 0), nil
}

// neighbours are the memory.Neighbours of samples, which say what the methods are for.
type neighbours struct{ *Index }

func (n *neighbours) Same(words []uint64) (entry uint32, known bool, err error) {
	if err := n.Ready(words); err != nil {
		return 0, false, err
	}
	n.enter(words)
	return n.copyOf()
}

func (n *neighbours) EachNear(do func(entry uint32)) {
	n.count()
	for _, s := range n.tally.list {
		if _, is := n.judge(s.entry, n.estimate(s, Least)); is {
			do(s.entry)
		}
	}
}

func (n *neighbours) Add(entry uint32) error {
	_, err := n.add(uint64(entry) + 1)
	return err
}

// Similarity is the larger share, by what hashes weigh by now, as though one of the two had not
// been added: what nobody else has weighs the whole in both of them.
func (n *neighbours) Similarity(a, b []uint64) (similarity float64, resemble bool) {
	weight := func(h uint64) int {
		words, isCommon := n.having(h)
		if isCommon {
			return 0
		}
		return int(weightOf(max(0, len(words)-1)))
	}
	ofA, ofB, both := fracminhash.Common(fracminhash.Read(a), fracminhash.Read(b), weight)
	_, _, shared := fracminhash.Common(fracminhash.Read(a), fracminhash.Read(b), func(h uint64) int {
		return min(1, weight(h))
	})
	if shared >= Least {
		similarity = float64(both) / float64(max(1, min(ofA, ofB)))
	}
	return similarity, similarity >= n.params.Threshold
}

func (n *neighbours) Bytes() uint64 { return n.Stats().Bytes }
