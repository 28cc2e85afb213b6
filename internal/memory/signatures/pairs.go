package signatures

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

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

// fewPairs is the number of pairs below which a slice is sorted by comparison.
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

// keysOf holds the keys of a column: those of the added entries, and those of earlier entries as
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

// A selection is one of several parts of the keys, by their highest bits, without the entries in
// skip.
type selection struct {
	part, parts uint64
	shift       int // the highest bits, which all keys of the part share
	skip        []uint64
}

// append appends the pair of a key, if it is selected.
func (s *selection) append(pairs []pair, key, entry uint32) []pair {
	if uint64(key)*s.parts>>32 != s.part || s.skip != nil && s.skip[entry/64]>>(entry%64)&1 == 1 {
		return pairs
	}
	return append(pairs, pairOf(key<<s.shift, entry))
}

// pairs appends the pairs of the selected keys, in the order of entries.
func (k keysOf) pairs(ctx context.Context, pairs []pair, s selection) ([]pair, error) {
	if k.earlier != nil {
		err := k.earlier.scan(ctx, func(_ int, items []byte) {
			for i := 0; i < len(items); i += pairBytes {
				entry, key := binary.LittleEndian.Uint32(items[i:]), binary.LittleEndian.Uint32(items[i+keyBytes:])
				pairs = s.append(pairs, key, entry)
			}
		})
		if err != nil {
			return pairs, err
		}
	}
	err := k.own.scan(ctx, func(first int, items []byte) {
		entry, to := k.first+uint32(first), pairs
		for i := 0; i < len(items); i += keyBytes {
			to = s.append(to, binary.LittleEndian.Uint32(items[i:]), entry)
			entry++
		}
		pairs = to
	})
	return pairs, err
}

// pairSorters holds two sorters: one sorts the next part while the other's pairs are read.
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
	room, err := offheap.Allocate(pairs)
	if err == nil {
		s.mapped = append(s.mapped, room)
	}
	return room, err
}

const (
	// mostParts is the number of parts in which a long column is sorted if memory has no limit. In
	// one part, the two sorters would use 32 bytes for each entry. Further parts save less and
	// less, and each scans the column.
	mostParts = 4
	// fewBytes is the memory of a sorter that a column may take before it is divided.
	fewBytes = 32 << 20
)

// partsOf returns the number of parts, a power of two, in which a column of count keys is sorted.
func partsOf(count, maxBytes uint64) (parts uint64) {
	for parts = 1; 2*pairBytes*count/parts > cmp.Or(maxBytes, fewBytes); parts *= 2 {
		if maxBytes == 0 && parts == mostParts {
			break
		}
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
	chosen := selection{part, parts, bits.TrailingZeros64(parts), skip}
	pairs, err := keys.pairs(ctx, s.pairs[:0], chosen)
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
