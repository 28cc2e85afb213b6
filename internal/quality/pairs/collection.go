package pairs

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// A collection stores sets of 64-bit elements, in ascending order, until the frequency of each
// element is known.
type collection struct {
	sets     [][]uint64
	room     []uint64 // unused part of the last block
	elements uint64   // of all sets
}

// blockWords is the number of elements allocated at once.
const blockWords = 1 << 16

// add adds a copy of a set.
func (c *collection) add(set []uint64) {
	if cap(c.room)-len(c.room) < len(set) {
		c.room = make([]uint64, 0, max(blockWords, len(set)))
	}
	start := len(c.room)
	c.room = append(c.room, set...)
	c.sets = append(c.sets, c.room[start:len(c.room):len(c.room)])
	c.elements += uint64(len(set))
}

// A ranked set stores its elements as ranks in the order of all elements, the rarest first.
// Elements that no other set has precede all others; only their number is stored.
type ranked struct {
	ranks []uint32 // in ascending order
	alone uint32   // number of elements that no other set has
}

func (r ranked) size() int { return int(r.alone) + len(r.ranks) }

// An occurrence is an element of a set.
type occurrence struct {
	element uint64
	set, at uint32
}

// shared numbers the elements that several sets have from 1, in ascending order, and replaces
// elements in the sets by these numbers, and all others by 0. It returns the number of sets that
// have each.
//
// It walks all sets in parallel, one range of elements at a time, and sorts what falls into a
// range. So it needs little memory besides the sets.
func (c *collection) shared(ctx context.Context) (frequencies []uint32, err error) {
	shift := uint(64 - min(bits.Len64(c.elements/rangeElements), maxRangeBits))
	next := make([]uint32, len(c.sets))
	var found []occurrence
	for r := uint64(0); r>>(64-shift) == 0; r++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		found = c.appendRange(found[:0], next, shift, r)
		slices.SortFunc(found, func(a, b occurrence) int { return cmp.Compare(a.element, b.element) })
		frequencies = c.number(found, frequencies)
		if len(frequencies) > math.MaxUint32/2 {
			return nil, errors.New("more than 2 billion elements are in several records: compare fewer records")
		}
	}
	return frequencies, nil
}

// number numbers the elements of a range.
func (c *collection) number(found []occurrence, frequencies []uint32) []uint32 {
	for start := 0; start < len(found); {
		end := start + 1
		for end < len(found) && found[end].element == found[start].element {
			end++
		}
		number := uint64(0)
		if end-start > 1 {
			frequencies = append(frequencies, uint32(end-start))
			number = uint64(len(frequencies))
		}
		for _, o := range found[start:end] {
			c.sets[o.set][o.at] = number
		}
		start = end
	}
	return frequencies
}

// rangeElements is the approximate size of a range. maxRangeBits bounds the number of ranges,
// since each visits every set.
const rangeElements, maxRangeBits = 1 << 15, 8

// appendRange appends the elements of a range. next[i] is where the rest of set i begins.
func (c *collection) appendRange(found []occurrence, next []uint32, shift uint, number uint64) []occurrence {
	for i, set := range c.sets {
		at := next[i]
		for int(at) < len(set) && set[at]>>shift == number {
			found = append(found, occurrence{set[at], uint32(i), at})
			at++
		}
		next[i] = at
	}
	return found
}

// rankOf returns the rank of each number by frequency.
func rankOf(frequencies []uint32) []uint32 {
	most := uint32(0)
	for _, f := range frequencies {
		most = max(most, f)
	}
	places := make([]uint32, most+2)
	for _, f := range frequencies {
		places[f+1]++
	}
	for f := 1; f < len(places); f++ {
		places[f] += places[f-1]
	}
	ranks := make([]uint32, len(frequencies))
	for i, f := range frequencies {
		ranks[i] = places[f]
		places[f]++
	}
	return ranks
}

// ranked converts the sets, after shared, to ranked ones in a new order: set i becomes order[i].
// The collection is empty afterwards.
func (c *collection) ranked(ctx context.Context, ranks []uint32, order []uint32) ([]ranked, error) {
	all := make([]ranked, len(c.sets))
	var room []uint32
	for i, set := range c.sets {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if cap(room)-len(room) < len(set) {
			room = make([]uint32, 0, max(2*blockWords, len(set)))
		}
		start := len(room)
		for _, number := range set {
			if number > 0 {
				room = append(room, ranks[number-1])
			}
		}
		of := room[start:len(room):len(room)]
		slices.Sort(of)
		all[order[i]] = ranked{ranks: of, alone: uint32(len(set) - len(of))}
		c.sets[i] = nil
	}
	*c = collection{}
	return all, nil
}
