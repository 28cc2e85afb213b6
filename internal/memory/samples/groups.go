package samples

import (
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// NewGroups returns groups of no record. They join pairs of which the one has the threshold of the
// other, whichever of them comes first. What is common is decided when a record is added. One
// of the same sample as an earlier one is joined with that one alone. Sets of shingles are not
// compared.
func NewGroups(p Params) (*memory.Joined, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	p.Either = true
	if p.hasSets() {
		p.Beside = fracminhash.Nothing
	}
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
	alike, _ := n.duplicates() // only what reads sets can err
	for _, f := range alike {
		do(f.entry)
	}
}

func (n *neighbours) Add(entry uint32) error {
	original, isCopy := n.original(n.alike)
	_, err := n.add(uint64(entry)+1, original, isCopy)
	return err
}

// Similarity is the larger share, by what hashes weigh by now, as though one of the two had not
// been added: what nobody else has weighs the whole in both of them.
func (n *neighbours) Similarity(earlier, later []uint64) (similarity float64, resemble bool) {
	a, b := fracminhash.Read(earlier), fracminhash.Read(later)
	ofA, ofB, both := fracminhash.Common(a, b, n.weigh)
	_, _, count := fracminhash.Common(a, b, func(h uint64) int { return min(1, n.weigh(h)) })
	if count < Least {
		return 0, false
	}
	f, isOne := n.judge(0, shares{in: float64(both) / float64(ofB), of: float64(both) / float64(ofA)})
	if isOne && n.params.hasFiner() {
		isOne = lookAt(nil, b, n.commonOf(b)).holds(pack(nil, a), f.contains, n.params.Threshold)
	}
	return float64(both) / float64(min(ofA, ofB)), isOne
}

// weigh is what a hash weighs as though one of the entries that have it had not been added.
func (n *neighbours) weigh(h uint64) int {
	has := n.having(h)
	if has.isCommon() {
		return 0
	}
	return int(weightOf(max(0, has.sources-1)))
}

// commonOf is how many hashes of a sample are common.
func (n *neighbours) commonOf(s fracminhash.Sketch) (common int) {
	for _, h := range s.Sample() {
		if n.having(h).isCommon() {
			common++
		}
	}
	return common
}

func (n *neighbours) Bytes() uint64 { return n.Stats().Bytes }
