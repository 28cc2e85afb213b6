package samples

import (
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// NewGroups returns empty groups. They join two records if either contains the threshold of the
// other. Which hashes are common is decided when a record is added. A record with the sample of an
// earlier one is joined with that one only. Shingle sets are not compared.
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

// neighbours implements memory.Neighbours.
type neighbours struct{ *Index }

func (n *neighbours) FindIdentical(words []uint64) (entry uint32, known bool, err error) {
	if err := n.Ready(words); err != nil {
		return 0, false, err
	}
	n.setCurrent(words)
	return n.copyOf()
}

func (n *neighbours) EachNear(do func(entry uint32), _ func(entry uint32) bool) {
	alike, _ := n.duplicates() // only reading sets can fail
	for _, f := range alike {
		do(f.entry)
	}
}

func (n *neighbours) Add(entry uint32) error {
	original, isCopy := originalOf(n.alike)
	_, err := n.add(uint64(entry)+1, original, isCopy)
	return err
}

// Cut returns 0, since ignoring hashes that are too common is part of the rule.
func (n *neighbours) Cut() uint64 { return 0 }

// Similarity returns the larger share, by the current weights of the hashes, as if only one of the
// two records had been added: a hash that no other record has keeps its full weight.
func (n *neighbours) Similarity(earlier, later []uint64) (similarity float64, resemble bool) {
	a, b := fracminhash.Read(earlier), fracminhash.Read(later)
	ofA, ofB, both := fracminhash.Common(a, b, n.weigh)
	_, countB, count := fracminhash.Common(a, b, func(h uint64) int { return min(1, n.weigh(h)) })
	if count < Least {
		return 0, n.params.hasFiner() && n.areNear(finerPartOf(nil, b, 0), a)
	}
	of := shares{in: float64(both) / float64(ofB), of: float64(both) / float64(ofA)}
	if float64(count) >= n.params.leastOfNear(uint32(countB)) {
		of.near = float64(count) / float64(countB)
	}
	f, isOne := n.params.judge(0, of)
	if n.params.hasFiner() {
		own := finerPartOf(nil, b, n.commonOf(b))
		isOne = isOne && n.params.confirms(own, pack(nil, a, false), f) || n.areNear(own, a)
	}
	return float64(both) / float64(min(ofA, ofB)), isOne
}

// areNear reports whether the later one of two records is a near copy of the earlier one.
func (n *neighbours) areNear(later finerPart, earlier fracminhash.Sketch) bool {
	_, areNear := later.resembles(pack(nil, earlier, true), n.params.leastNear())
	return areNear
}

// weigh returns the weight of a hash as if one of its entries had not been added.
func (n *neighbours) weigh(h uint64) int {
	has := n.having(h)
	if has.isCommon() {
		return 0
	}
	return int(weightOf(max(0, has.sources-1)))
}

// commonOf returns the number of common hashes in a sample.
func (n *neighbours) commonOf(s fracminhash.Sketch) (common int) {
	for _, h := range s.Sample() {
		if n.having(h).isCommon() {
			common++
		}
	}
	return common
}
