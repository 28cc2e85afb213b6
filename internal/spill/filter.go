package spill

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A Filter is a Bloom filter that keeps all bits of a mark in one cache line (Putze, Sanders,
// Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007). The upper half of a mark selects
// the line, the lower half the bits.
type Filter []uint64

const (
	bitsOfMark  = 10
	wordsOfLine = 8
)

// BytesOfMark is the size of a filter for each mark that it is made for.
const BytesOfMark = bitsOfMark / 8.

// NewFilter returns a filter for that many marks, with a false positive rate of about 1 in 100,
// outside the Go heap.
func NewFilter(marks int) (Filter, error) { return offheap.Allocate(uint64(wordsFor(marks))) }

func wordsFor(marks int) int { return max(1, marks*bitsOfMark/(64*wordsOfLine)) * wordsOfLine }

// NewFilters returns count filters for that many marks each.
func NewFilters(count, marks int) (filters []Filter, err error) {
	for range count {
		f, err := NewFilter(marks)
		if err != nil {
			return nil, errors.Join(err, CloseFilters(filters))
		}
		filters = append(filters, f)
	}
	return filters, nil
}

// CloseFilters frees several filters.
func CloseFilters(filters []Filter) (err error) {
	for _, f := range filters {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Close frees the memory.
func (f Filter) Close() error { return offheap.Release(f) }

// Bytes returns the size of the filter.
func (f Filter) Bytes() uint64 { return wordBytes * uint64(len(f)) }

func (f Filter) line(mark uint64) []uint64 {
	lines := uint64(len(f) / wordsOfLine)
	at := mark >> 32 * lines >> 32 * wordsOfLine
	return f[at : at+wordsOfLine : at+wordsOfLine]
}

// bitsOf spreads the lower half of a mark: six bits for each word of its line.
func bitsOf(mark uint64) uint64 { return uint64(uint32(mark)) * 0x9e3779b97f4a7c15 >> 16 }

// Touch reads the line of a mark. Touching all marks of a record first lets the processor wait for
// all of them at once.
func (f Filter) Touch(mark uint64) uint64 { return f.line(mark)[0] }

// Add adds a mark.
func (f Filter) Add(mark uint64) {
	bits := bitsOf(mark)
	for i, line := 0, f.line(mark); i < wordsOfLine; i++ {
		line[i] |= 1 << (bits >> (6 * i) & 63)
	}
}

// Has reports whether the filter may contain a mark.
func (f Filter) Has(mark uint64) bool {
	bits, missing := bitsOf(mark), uint64(0)
	for i, line := 0, f.line(mark); i < wordsOfLine; i++ {
		missing |= ^line[i] & (1 << (bits >> (6 * i) & 63))
	}
	return missing == 0
}
