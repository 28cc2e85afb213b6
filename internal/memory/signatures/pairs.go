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

// A pair is 32 bits of a key, in the upper half, and an entry. Sorted pairs have equal keys next to
// each other, and the entries of each key in ascending order.
type pair = uint64

const pairBytes = 8

func pairOf(key, entry uint32) pair { return uint64(key)<<32 | uint64(entry) }

// digit is the number of bits of a key sorted in one pass.
const digit = 8

type digitCounts [1 << digit]int

// countDigits returns where the pairs of each digit value begin once sorted by it.
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

// scatterDigits sorts pairs by a digit, into to.
func scatterDigits(to, pairs []pair, shift int, starts *digitCounts) {
	for _, p := range pairs {
		place := &starts[p>>shift&(1<<digit-1)]
		to[*place] = p
		*place++
	}
}

// slices of up to fewPairs pairs are sorted by comparison.
const fewPairs = 32

// sortPairs sorts pairs by key; their entries must be in ascending order. It is a radix sort whose
// first pass uses the most significant digit, so that the remaining passes work on parts that fit
// into the cache. scratch must be as long as pairs.
func sortPairs(pairs, scratch []pair) {
	const highest = 64 - digit
	starts := countDigits(pairs, highest)
	ends := starts
	scatterDigits(scratch, pairs, highest, &ends)
	for i, start := range starts {
		from, to := scratch[start:ends[i]], pairs[start:ends[i]]
		if len(from) < fewPairs { // counting digits would take longer
			copy(to, from)
			slices.Sort(to)
			continue
		}
		for shift := 32; shift < highest; shift += digit { // an odd number of passes
			starts := countDigits(from, shift)
			scatterDigits(to, from, shift, &starts)
			from, to = to, from
		}
	}
}

// A pairSorter sorts the keys of columns, in several parts if they do not fit into memory. It
// reuses its memory for all parts and columns.
type pairSorter struct {
	maxBytes       uint64 // maximum bytes; 0 means no limit
	pairs, scratch []pair
	mapped         [][]uint64 // mappings of these, unless there were more pairs than expected
}

// keysOf are the keys of a column: those of the added entries, and those of earlier entries as
// pairs, if there are any.
type keysOf struct {
	own, earlier *column
	first        uint32 // first of the added entries
}

func (k keysOf) count() (n uint64) {
	if k.earlier != nil {
		n = uint64(k.earlier.count)
	}
	return n + uint64(k.own.count)
}

// scan calls do with all keys, in the order of entries.
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

// pairSorters are two sorters: one sorts the next part while the other's pairs are read.
type pairSorters [2]pairSorter

// release frees the memory.
func (s *pairSorters) release() (err error) {
	for i := range s {
		for _, pairs := range s[i].mapped {
			err = errors.Join(err, offheap.Release(pairs))
		}
		s[i] = pairSorter{}
	}
	return err
}

// allocate returns space for that many pairs. Only pages that are written use memory.
func (s *pairSorter) allocate(pairs uint64) ([]pair, error) {
	room, err := memory.Allocate(pairs)
	if err == nil {
		s.mapped = append(s.mapped, room)
	}
	return room, err
}

// parts returns the number of parts, a power of two, that a column is sorted in.
func (s *pairSorter) parts(keys keysOf) (parts uint64) {
	parts = 1
	for s.maxBytes > 0 && 2*pairBytes*keys.count()/parts > s.maxBytes {
		parts *= 2
	}
	return parts
}

// sort returns the sorted pairs of one part of a column, without the entries in skip. The slice is
// valid until the next call.
func (s *pairSorter) sort(ctx context.Context, keys keysOf, part, parts uint64, skip []uint64) ([]pair, error) {
	if most := keys.count() / parts; s.pairs == nil {
		var err error
		if s.pairs, err = s.allocate(most + most/8 + 1024); err != nil {
			return nil, err
		}
	}
	shift := bits.TrailingZeros64(parts) // higher bits are equal in all pairs of a part
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
