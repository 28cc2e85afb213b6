package overlap

import (
	"cmp"
	"math"
	"slices"
)

// A family is a set of many passages that are equal except for one word. Only the one with the
// text's word is found; any other word proves nothing about any of them.
type family struct {
	from, to uint32 // range in Items.members
	change   uint16 // index of the word
}

// A form is a passage or a family. Families are numbered after the passages.

// familyOf returns the family of a form, if it is one.
func (x *Items) familyOf(form uint32) (f *family, ok bool) {
	if int(form) < len(x.passages) {
		return nil, false
	}
	return &x.families[int(form)-len(x.passages)], true
}

// memberOf returns the passage of a family that has a word in the differing place.
func (x *Items) memberOf(f *family, word uint64) (passage uint32, ok bool) {
	members := x.members[f.from:f.to]
	at, ok := slices.BinarySearchFunc(members, word, func(passage uint32, word uint64) int {
		return cmp.Compare(x.wordsOf(passage)[f.change], word)
	})
	if !ok {
		return 0, false
	}
	return members[at], true
}

// wordRange is the range [from, to) of words of a passage or of a text.
type wordRange struct{ from, to int }

// halves splits a range of several words.
func (r wordRange) halves() (left, right wordRange) {
	middle := (r.from + r.to) / 2
	return wordRange{r.from, middle}, wordRange{middle, r.to}
}

// formKey returns the key of a passage of a shape without some of its words, given the key of all
// its words and the contribution of these.
func formKey(all, without uint64, shape uint32, r wordRange) uint64 {
	return spreadKey(all - without + (uint64(shape)<<20+uint64(r.from)<<10+uint64(r.to))*0xd1b54a32d192ed03)
}

// asHalves means that too many passages are equal outside a range of words, so each half of the
// range must be looked up.
const asHalves = math.MaxUint32

// fewPassages is the maximum number of passages that are tried one by one.
const fewPassages = 16

// A formBuilder builds the tables of anchors. Passages that share an anchor with many others become
// forms: they are divided by the words outside the range in which one may differ, then by those
// outside of each half of it, and so on, until few are left, or they form a family because the
// range is a single word.
type formBuilder struct {
	items   *Items
	numbers map[shape]uint32
	forms   []keyed // by formKey
}

// table builds the table of the passages with anchors of one length.
func (b *formBuilder) table(length int, passages []uint32) *anchorTable {
	x := b.items
	var list []keyed
	for _, n := range passages {
		p := &x.passages[n]
		list = append(list, keyed{x.anchorKey(n, p.first, length), entryOf(n, false)})
		if x.list[p.item].changes > 0 {
			list = append(list, keyed{x.anchorKey(n, p.second, length), entryOf(n, true)})
		}
	}
	sortKeyed(list)
	kept := list[:0]
	eachKey(list, func(own []keyed) {
		shapes := b.shapesOf(own)
		if shapes == nil {
			kept = append(kept, own...)
			return
		}
		key := own[0].key
		kept = append(kept, keyed{key, asShapes})
		for _, number := range shapes {
			kept = append(kept, keyed{key, number})
		}
	})
	t := &anchorTable{length: length, leaving: 1, anchors: newKeyIndex(kept)}
	for range length {
		t.leaving *= keyFactor
	}
	return t
}

// shapesOf returns the numbers of the shapes of the passages that share an anchor, after storing
// their forms, or nil if trying the passages is less work.
func (b *formBuilder) shapesOf(own []keyed) (numbers []uint32) {
	if len(own) <= fewPassages {
		return nil
	}
	passages := map[shape][]uint32{}
	for _, k := range own {
		s := b.items.shapeOf(k.value)
		passages[s] = append(passages[s], k.value>>1)
	}
	if 2*len(passages) >= len(own) {
		return nil
	}
	for s, list := range passages {
		number, known := b.numbers[s]
		if !known {
			number = uint32(len(b.items.shapes))
			b.numbers[s] = number
			b.items.shapes = append(b.items.shapes, shapeRanges{s, s.changed()})
		}
		for _, r := range b.items.shapes[number].ranges {
			b.divide(number, r, list)
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers
}

// divide stores the forms of passages of a shape in which a word of the range may differ.
func (b *formBuilder) divide(shape uint32, r wordRange, passages []uint32) {
	list := make([]keyed, len(passages))
	for i, n := range passages {
		words := b.items.wordsOf(n)
		without := keyOfWords(words[r.from:r.to]) * b.items.powers[len(words)-r.to]
		list[i] = keyed{formKey(keyOfWords(words), without, shape, r), n}
	}
	sortKeyed(list)
	eachKey(list, func(own []keyed) {
		key, same := own[0].key, make([]uint32, len(own))
		for i, k := range own {
			same[i] = k.value
		}
		switch {
		case len(own) <= fewPassages || r.to == r.from || b.collide(r, same):
			b.forms = append(b.forms, own...)
		case r.to-r.from == 1:
			b.forms = append(b.forms, keyed{key, b.family(r.from, same)})
		default:
			b.forms = append(b.forms, keyed{key, asHalves})
			left, right := r.halves()
			b.divide(shape, left, same)
			b.divide(shape, right, same)
		}
	})
}

// collide reports whether passages differ outside the range although their keys are equal.
func (b *formBuilder) collide(r wordRange, passages []uint32) bool {
	one := b.items.wordsOf(passages[0])
	return slices.ContainsFunc(passages, func(n uint32) bool {
		other := b.items.wordsOf(n)
		return !slices.Equal(one[:r.from], other[:r.from]) || !slices.Equal(one[r.to:], other[r.to:])
	})
}

// family creates the family of passages that are equal except for a word.
func (b *formBuilder) family(change int, passages []uint32) (form uint32) {
	x := b.items
	from := uint32(len(x.members))
	x.members = append(x.members, passages...)
	slices.SortFunc(x.members[from:], func(a, b uint32) int {
		return cmp.Compare(x.wordsOf(a)[change], x.wordsOf(b)[change])
	})
	x.families = append(x.families, family{from, uint32(len(x.members)), uint16(change)})
	return uint32(len(x.passages) + len(x.families) - 1)
}
