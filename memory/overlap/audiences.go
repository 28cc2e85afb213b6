package overlap

import (
	"encoding/binary"
	"slices"
)

// An audience is the items that a form stands in. They are counted together, where there are many:
// the passages of a prompt that all items begin with have one audience.

// gather makes the audiences of the forms that stand in more than fewPassages places.
func (x *Items) gather() {
	x.audienceOf = map[uint32]uint32{}
	known := map[string]uint32{}
	var items []uint32
	var key []byte
	for form := range uint32(len(x.passages) + len(x.families)) {
		places := 0
		x.eachPassage(form, func(passage uint32) { places += x.countPostings(passage) })
		if places <= fewPassages {
			continue
		}
		items = items[:0]
		x.eachPlace(form, func(p posting) { items = append(items, p.item) })
		slices.Sort(items)
		items = slices.Compact(items)
		key = key[:0]
		for _, item := range items {
			key = binary.LittleEndian.AppendUint32(key, item)
		}
		number, ok := known[string(key)]
		if !ok {
			number = uint32(len(x.audiences))
			known[string(key)] = number
			x.audiences = append(x.audiences, slices.Clone(items))
		}
		x.audienceOf[form] = number
	}
}

// eachPlace hands over where a form stands in the items.
func (x *Items) eachPlace(form uint32, do func(posting)) {
	x.eachPassage(form, func(passage uint32) { x.eachPosting(passage, do) })
}

// A tally counts in how many records each item was found. Items of an audience are not counted one
// by one: it is noted how often which audiences were found together.
type tally struct {
	items  *Items
	counts []uint64 // of each item
	last   []uint64 // the number of the record in which each item was found last, one by one

	of        []uint64          // the number of the record in which each audience was found last
	together  map[string]uint64 // how often, by the numbers of audiences
	noted     int               // numbers in together
	single    []uint32          // items that were found one by one in the record at hand
	audiences []uint32          // that were found in it
	key       []byte
}

// mostNoted bounds the audiences that are noted together, before their items are counted.
const mostNoted = 1 << 14

func newTally(items *Items) *tally {
	return &tally{
		items: items, counts: make([]uint64, items.Len()), last: make([]uint64, items.Len()),
		of: make([]uint64, len(items.audiences)), together: map[string]uint64{},
	}
}

// add takes in that a form was found in the record of that number.
func (t *tally) add(form uint32, number uint64) {
	if audience, ok := t.items.audienceOf[form]; ok {
		if t.of[audience] != number {
			t.of[audience] = number
			t.audiences = append(t.audiences, audience)
		}
		return
	}
	t.items.eachPlace(form, func(p posting) {
		if t.last[p.item] != number {
			t.last[p.item] = number
			t.single = append(t.single, p.item)
		}
	})
}

// end counts the record at hand.
func (t *tally) end() {
	for _, item := range t.single {
		if !t.isInAudience(item) {
			t.counts[item]++
		}
	}
	if len(t.audiences) > 0 {
		slices.Sort(t.audiences)
		t.key = t.key[:0]
		for _, audience := range t.audiences {
			t.key = binary.LittleEndian.AppendUint32(t.key, audience)
		}
		if _, known := t.together[string(t.key)]; !known {
			t.noted += len(t.audiences)
		}
		t.together[string(t.key)]++
		if t.noted >= mostNoted {
			t.settle()
		}
	}
	t.single, t.audiences = t.single[:0], t.audiences[:0]
}

// isInAudience reports whether an item is in one of the audiences that were found.
func (t *tally) isInAudience(item uint32) bool {
	return slices.ContainsFunc(t.audiences, func(audience uint32) bool {
		_, is := slices.BinarySearch(t.items.audiences[audience], item)
		return is
	})
}

// settle counts the items of the audiences that are noted.
func (t *tally) settle() {
	if len(t.together) == 0 {
		return
	}
	isCounted := make([]bool, len(t.counts))
	for key, records := range t.together {
		clear(isCounted)
		for ; len(key) > 0; key = key[4:] {
			for _, item := range t.items.audiences[binary.LittleEndian.Uint32([]byte(key[:4]))] {
				if !isCounted[item] {
					isCounted[item] = true
					t.counts[item] += records
				}
			}
		}
	}
	clear(t.together)
	t.noted = 0
}
