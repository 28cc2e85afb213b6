package overlap

import (
	"cmp"
	"slices"
)

// A passage is a sequence of words by which items are found. Equal sequences in several items are
// one passage.
type passage struct {
	item          uint32 // the first that has it
	at            uint16 // its first word there
	first, second uint16 // where its anchors begin; the second is only used with changes
}

// A posting is a place of a passage in the items.
type posting struct {
	item uint32
	at   uint32 // its first word there
}

// keyFactor is the factor of the rolling polynomial hash that is the key of adjacent words.
const keyFactor = 0x9e3779b97f4a7c15

// keyOfWords returns the key of adjacent words.
func keyOfWords(words []uint64) (key uint64) {
	for _, w := range words {
		key = key*keyFactor + w
	}
	return key
}

// collect finds the distinct passages of all items. Those that occur in several places come first.
func (x *Items) collect() {
	type window struct {
		key uint64
		posting
	}
	var all []window
	for i := range x.list {
		item := &x.list[i]
		if item.window == 0 || item.same != i {
			continue
		}
		for at := range item.Passages() {
			key := keyOfWords(item.words[at:at+item.window]) + uint64(item.window)
			all = append(all, window{key, posting{uint32(i), uint32(at)}})
		}
		item.passages = make([]uint32, item.Passages())
	}
	slices.SortFunc(all, func(a, b window) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.item, b.item), cmp.Compare(a.at, b.at))
	})
	var single []posting // passages that occur in one place
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].key == all[from].key {
			to++
		}
		if to-from == 1 {
			single, from = append(single, all[from].posting), to
			continue
		}
		for _, same := range parted(all[from:to], func(a, b window) bool {
			return slices.Equal(x.wordsAt(a.posting), x.wordsAt(b.posting))
		}) {
			if len(same) == 1 {
				single = append(single, same[0].posting)
				continue
			}
			x.shared.from = append(x.shared.from, uint32(len(x.shared.postings)))
			for _, w := range same {
				x.shared.postings = append(x.shared.postings, w.posting)
				x.list[w.item].passages[w.at] = uint32(len(x.passages))
			}
			x.passages = append(x.passages, passage{item: same[0].item, at: uint16(same[0].at)})
		}
		from = to
	}
	x.shared.from = append(x.shared.from, uint32(len(x.shared.postings)))
	x.passages = slices.Grow(x.passages, len(single))
	for _, p := range single {
		x.list[p.item].passages[p.at] = uint32(len(x.passages))
		x.passages = append(x.passages, passage{item: p.item, at: uint16(p.at)})
	}
}

// shared holds the postings of passages that have several.
type shared struct {
	from     []uint32 // where those of each passage begin, and the end of all
	postings []posting
}

// parted divides values with equal keys into equal values. Nearly always all of them are equal.
func parted[T any](list []T, isSame func(a, b T) bool) (parts [][]T) {
	for len(list) > 0 {
		end := slices.IndexFunc(list, func(other T) bool { return !isSame(list[0], other) })
		if end < 0 {
			return append(parts, list)
		}
		same, others := slices.Clone(list[:end]), []T(nil)
		for _, other := range list[end:] {
			if isSame(list[0], other) {
				same = append(same, other)
			} else {
				others = append(others, other)
			}
		}
		parts, list = append(parts, same), others
	}
	return parts
}

// wordsAt returns the words of a passage that begins there.
func (x *Items) wordsAt(p posting) []uint64 {
	item := &x.list[p.item]
	return item.words[p.at:][:item.window]
}

// wordsOf returns the words of a passage.
func (x *Items) wordsOf(number uint32) []uint64 {
	p := &x.passages[number]
	return x.wordsAt(posting{p.item, uint32(p.at)})
}

// postingsOf returns the places in items at which a passage is worth following up.
func (x *Items) postingsOf(number uint32) []posting {
	if int(number)+1 >= len(x.shared.from) {
		p := &x.passages[number]
		return []posting{{p.item, uint32(p.at)}}
	}
	return x.shared.postings[x.shared.from[number]:x.shared.from[number+1]]
}
