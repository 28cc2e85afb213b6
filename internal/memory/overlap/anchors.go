package overlap

import (
	"cmp"
	"math"
	"slices"
)

// An anchorTable finds passages by a few adjacent words, their anchor. If many passages share an
// anchor, like those that begin with the same prompt, they are not tried one by one. Items.forms is
// searched for each of their shapes instead.
type anchorTable struct {
	length  int
	leaving uint64 // weight of the word that leaves the hash of an anchor as it moves on
	anchors *keyIndex
}

// asShapes means that the values after it are numbers of shapes. Otherwise a value of an
// anchorTable is a passage and which of its two anchors this is.
const asShapes = math.MaxUint32

func entryOf(passage uint32, isSecond bool) (value uint32) {
	if isSecond {
		return passage<<1 | 1
	}
	return passage << 1
}

// A shape describes a passage without its words.
type shape struct {
	length        uint16 // in words
	anchor        uint16 // words of an anchor
	first, second uint16 // where the anchors begin
	changes       uint8
	isSecond      bool // the current anchor is the second
}

// at returns where the current anchor begins.
func (s *shape) at() int {
	if s.isSecond {
		return int(s.second)
	}
	return int(s.first)
}

// A shapeRanges is a shape, and the ranges of words in which one may differ.
type shapeRanges struct {
	shape
	ranges []wordRange
}

// changed returns the ranges of words in which one may differ while the current anchor is intact.
// With the second anchor these are the words of the first, since an intact first anchor finds the
// passage itself.
func (s *shape) changed() (ranges []wordRange) {
	first, end := int(s.first), int(s.first)+int(s.anchor)
	switch {
	case s.changes == 0:
		return []wordRange{{}}
	case s.isSecond:
		return []wordRange{{first, end}}
	}
	if first > 0 {
		ranges = append(ranges, wordRange{0, first})
	}
	if end < int(s.length) {
		ranges = append(ranges, wordRange{end, int(s.length)})
	}
	return ranges
}

// shapeOf returns the shape of a passage at one of its anchors.
func (x *Items) shapeOf(value uint32) shape {
	p := &x.passages[value>>1]
	item := &x.list[p.item]
	return shape{
		length: uint16(item.window), anchor: uint16(item.anchorOf()), first: p.first, second: p.second,
		changes: uint8(item.changes), isSecond: value&1 == 1,
	}
}

// anchor builds the tables of anchors, and the forms of the passages that share an anchor with many
// others.
func (x *Items) anchor() {
	byLength, whole := map[int][]uint32{}, map[int][]uint32{}
	for n := range x.passages {
		item := &x.list[x.passages[n].item]
		if length := item.anchorOf(); item.isWhole() {
			whole[length] = append(whole[length], uint32(n))
		} else {
			x.passages[n].second = uint16(item.window - length)
			byLength[length] = append(byLength[length], uint32(n))
		}
	}
	for length, passages := range whole {
		x.chooseRarest(length, passages, byLength[length])
		byLength[length] = append(byLength[length], passages...)
	}
	b := formBuilder{items: x, numbers: map[shape]uint32{}}
	for length, passages := range byLength {
		x.tables = append(x.tables, b.table(length, passages))
	}
	sortKeyed(b.forms)
	x.forms = newKeyIndex(b.forms)
	slices.SortFunc(x.tables, func(a, b *anchorTable) int { return cmp.Compare(b.length, a.length) })
}

// anchorKey returns the key of one of the anchors of a passage.
func (x *Items) anchorKey(passage uint32, at uint16, length int) uint64 {
	return spreadKey(keyOfWords(x.wordsOf(passage)[at:][:length]))
}

// chooseRarest chooses the anchors of passages that are whole items, preferring those that the
// fewest passages have: many questions begin alike.
func (x *Items) chooseRarest(length int, passages, others []uint32) {
	count := map[uint64]int{}
	each := func(passage uint32, do func(key uint64)) {
		for at := range len(x.wordsOf(passage)) - length + 1 {
			do(x.anchorKey(passage, uint16(at), length))
		}
	}
	for _, n := range passages {
		each(n, func(key uint64) { count[key]++ })
	}
	for _, n := range others {
		if key := x.anchorKey(n, 0, length); count[key] > 0 {
			count[key]++
		}
	}
	var counts []int // of the anchors of a passage
	for _, n := range passages {
		counts = counts[:0]
		each(n, func(key uint64) { counts = append(counts, count[key]) })
		p := &x.passages[n]
		if x.list[p.item].changes == 0 {
			p.first = uint16(slices.Index(counts, slices.Min(counts)))
			continue
		}
		p.first, p.second = rarestPair(counts, length)
	}
}

// rarestPair returns the two non-overlapping anchors that the fewest passages have. They exist,
// since an anchor is less than half of a passage.
func rarestPair(counts []int, length int) (first, second uint16) {
	least, one := math.MaxInt, 0 // the rarest one that ends before the second begins
	for other := length; other < len(counts); other++ {
		if counts[other-length] < counts[one] {
			one = other - length
		}
		if n := counts[one] + counts[other]; n < least {
			least, first, second = n, uint16(one), uint16(other)
		}
	}
	return first, second
}
