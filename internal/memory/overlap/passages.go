package overlap

import (
	"cmp"
	"slices"
)

// A passage is words in a row that an item is looked for by. Many items may have the same one: then
// it is one passage.
type passage struct {
	item          uint32 // the first that has it
	at            uint16 // its first word there
	first, second uint16 // the words of it at which its anchors begin; the second only with changes
}

// A posting is where a passage stands in the items.
type posting struct {
	item uint32
	at   uint32 // its first word there
}

// keyFactor is the factor of the polynomial of hashes that is the key of words in a row, so that
// the next key follows from the one before.
const keyFactor = 0x9e3779b97f4a7c15

// keyOfWords is the key of words in a row.
func keyOfWords(words []uint64) (key uint64) {
	for _, w := range words {
		key = key*keyFactor + w
	}
	return key
}

// collect finds the different passages of all items. Those that stand in several places come first.
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
	var single []posting // passages that stand in one place
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

// shared are the postings of the passages that have several.
type shared struct {
	from     []uint32 // where those of each passage begin, and where the last of all end
	postings []posting
}

// parted divides what has the same key into what is the same. Nearly always all of it is.
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

// wordsAt are the words of a passage that begins there.
func (x *Items) wordsAt(p posting) []uint64 {
	item := &x.list[p.item]
	return item.words[p.at:][:item.window]
}

// wordsOf are the words of a passage.
func (x *Items) wordsOf(number uint32) []uint64 {
	p := &x.passages[number]
	return x.wordsAt(posting{p.item, uint32(p.at)})
}

// postingsOf are the places in items at which a passage is a reason to look closer.
func (x *Items) postingsOf(number uint32) []posting {
	if int(number)+1 >= len(x.shared.from) {
		p := &x.passages[number]
		return []posting{{p.item, uint32(p.at)}}
	}
	return x.shared.postings[x.shared.from[number]:x.shared.from[number+1]]
}
