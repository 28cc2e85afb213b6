package overlap

import (
	"encoding/binary"
	"math"
)

// weigh finds items with equal words and answers, and assigns each word of the others its weight:
// the logarithm of the inverse share of items that have it. Half an item is then half of what
// distinguishes it from the others.
func (x *Items) weigh() {
	first := map[string]int{}
	with := map[uint64]uint32{} // number of items that have a word
	last := map[uint64]int{}    // the last of them
	different := 0
	var key []byte
	for i := range x.list {
		item := &x.list[i]
		key = key[:0]
		for _, w := range item.words {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		for _, w := range item.answer {
			key = binary.LittleEndian.AppendUint64(key, ^w)
		}
		same, known := first[string(key)]
		if item.same = same; known {
			continue
		}
		first[string(key)], item.same = i, i
		different++
		for _, w := range item.words {
			if at, is := last[w]; !is || at != i {
				with[w]++
				last[w] = i
			}
		}
	}
	for i := range x.list {
		item := &x.list[i]
		if item.same != i {
			continue
		}
		item.weights = make([]float32, len(item.words))
		for k, w := range item.words {
			item.weights[k] = float32(math.Log(float64(different+1) / float64(with[w])))
			item.total += float64(item.weights[k])
		}
	}
}

// isEnough reports whether an item counts as found if that much of its weight was found.
func (x *Items) isEnough(item *Item, weight float64) bool {
	return weight >= x.minShare*item.total*(1-1e-6)
}

// thin removes from the places of each common passage the items that need more than what they share
// with many others: only their other passages lead to them. So a prompt leads to no item, however
// many have it.
func (x *Items) thin() {
	isCommon := func(number uint32) bool { return len(x.postingsOf(number)) > fewPassages }
	var covered []bool
	leads := make([]bool, len(x.list)) // whether what it shares with many is enough
	for i := range x.list {
		item := &x.list[i]
		covered = append(covered[:0], make([]bool, len(item.words))...)
		weight := 0.0
		for at, number := range item.passages {
			if !isCommon(number) {
				continue
			}
			for k := at; k < at+item.window; k++ {
				if !covered[k] {
					covered[k] = true
					weight += float64(item.weights[k])
				}
			}
		}
		leads[i] = weight > 0 && x.isEnough(item, weight)
	}
	kept := shared{postings: x.shared.postings[:0]}
	for number := range max(0, len(x.shared.from)-1) {
		from := len(kept.postings)
		all := x.shared.postings[x.shared.from[number]:x.shared.from[number+1]]
		isCommon := len(all) > fewPassages
		for _, p := range all {
			twice := isCommon && len(kept.postings) > from && kept.postings[len(kept.postings)-1].item == p.item
			if !isCommon || leads[p.item] && !twice {
				kept.postings = append(kept.postings, p)
			}
		}
		kept.from = append(kept.from, uint32(from))
	}
	kept.from = append(kept.from, uint32(len(kept.postings)))
	x.shared = kept
}
