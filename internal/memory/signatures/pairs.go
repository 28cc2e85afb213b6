package signatures

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A pair is an entry with 32 bits of a key, which are the upper ones: pairs in their order have
// equal keys beside each other, and the entries of each in their order.
type pair = uint64

const pairBytes = 8

func pairOf(key, entry uint32) pair { return uint64(key)<<32 | uint64(entry) }

// digit is how many bits of a key are sorted at a time.
const digit = 8

type digitCounts [1 << digit]int

// countDigits says where the pairs of each value of a digit begin when they are in its order.
func countDigits(pairs []pair, shift int) (starts digitCounts) {
	for _, p := range pairs {
		starts[p>>shift&(1<<digit-1)]++
	}
	at := 0
	for i, n := range starts {
		starts[i] = at
		at += n
	}
	return starts
}

// scatterDigits puts pairs into the order of a digit.
func scatterDigits(to, pairs []pair, shift int, starts *digitCounts) {
	for _, p := range pairs {
		place := &starts[p>>shift&(1<<digit-1)]
		to[*place] = p
		*place++
	}
}

// fewPairs are sorted by comparing them.
const fewPairs = 32

// sortPairs sorts by the keys of pairs whose entries are in order: a radix sort. The first pass is
// that of the highest digit, so that the others, of parts, go on in the cache, however many pairs
// there are. scratch is as long as pairs.
func sortPairs(pairs, scratch []pair) {
	const highest = 64 - digit
	starts := countDigits(pairs, highest)
	ends := starts
	scatterDigits(scratch, pairs, highest, &ends)
	for i, start := range starts {
		from, to := scratch[start:ends[i]], pairs[start:ends[i]]
		if len(from) < fewPairs { // to count digits would take longer
			copy(to, from)
			slices.Sort(to)
			continue
		}
		for shift := 32; shift < highest; shift += digit { // an odd number of times
			starts := countDigits(from, shift)
			scatterDigits(to, from, shift, &starts)
			from, to = to, from
		}
	}
}

// A pairSorter sorts the keys of columns, part by part if there is no room for all of them. Its
// memory goes from one part to the next, and from one column to the next.
type pairSorter struct {
	room           uint64 // bytes that it may take; 0 if there is no bound
	pairs, scratch []pair
	mapped         [][]uint64 // where these are, unless there were more than was foreseen
}

// keysOf are the keys of a column: of the entries that were added, and of earlier ones as pairs, of
// which there may be none.
type keysOf struct {
	own, earlier *column
	first        uint32 // of those that were added
}

func (k keysOf) count() (n uint64) {
	if k.earlier != nil {
		n = uint64(k.earlier.count)
	}
	return n + uint64(k.own.count)
}

// scan calls do with all pairs in the order of entries.
func (k keysOf) scan(ctx context.Context, do func(key, entry uint32)) error {
	if k.earlier != nil {
		err := k.earlier.scan(ctx, func(_ int, items []byte) {
			for i := 0; i < len(items); i += pairBytes {
				do(binary.LittleEndian.Uint32(items[i+keyBytes:]), binary.LittleEndian.Uint32(items[i:]))
			}
		})
		if err != nil {
			return err
		}
	}
	return k.own.scan(ctx, func(first int, items []byte) {
		entry := k.first + uint32(first)
		for i := 0; i < len(items); i += keyBytes {
			do(binary.LittleEndian.Uint32(items[i:]), entry)
			entry++
		}
	})
}

// pairSorters are two, since the next part is sorted while one is looked at.
type pairSorters [2]pairSorter

// release gives the memory back.
func (s *pairSorters) release() (err error) {
	for i := range s {
		for _, pairs := range s[i].mapped {
			err = errors.Join(err, offheap.Release(pairs))
		}
		s[i] = pairSorter{}
	}
	return err
}

// allocate is room for so many pairs, of which only those are touched that are written.
func (s *pairSorter) allocate(pairs uint64) ([]pair, error) {
	room, err := memory.Allocate(pairs)
	if err == nil {
		s.mapped = append(s.mapped, room)
	}
	return room, err
}

// parts is into how many parts a column is cut: a power of two.
func (s *pairSorter) parts(keys keysOf) (parts uint64) {
	parts = 1
	for s.room > 0 && 2*pairBytes*keys.count()/parts > s.room {
		parts *= 2
	}
	return parts
}

// sort returns the pairs of a part of a column in their order, without the entries that skip has.
// They are good until the next call.
func (s *pairSorter) sort(ctx context.Context, keys keysOf, part, parts uint64, skip []uint64) ([]pair, error) {
	if most := keys.count() / parts; s.pairs == nil {
		var err error
		if s.pairs, err = s.allocate(most + most/8 + 1024); err != nil {
			return nil, err
		}
	}
	shift := bits.TrailingZeros64(parts) // the bits above are the same in all pairs of the part
	pairs := s.pairs[:0]
	err := keys.scan(ctx, func(key, entry uint32) {
		isSkipped := skip != nil && skip[entry/64]>>(entry%64)&1 == 1
		if uint64(key)*parts>>32 == part && !isSkipped {
			pairs = append(pairs, pairOf(key<<shift, entry))
		}
	})
	if s.pairs = pairs; err != nil {
		return nil, err
	}
	if len(s.scratch) < len(pairs) {
		if s.scratch, err = s.allocate(uint64(cap(pairs))); err != nil {
			return nil, err
		}
	}
	sortPairs(pairs, s.scratch[:len(pairs)])
	return pairs, nil
}
