package prefixes

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// rowsPerChunk is the number of entries allocated together, so that nothing is ever moved.
const rowsPerChunk = 1 << 15

// A row is the part of a set that is kept in memory.
type row struct {
	parities [2]uint64 // of the ranges of its hashes
	place    uint64    // memory.SetPlace: where the set is, and its size
	number   uint32    // of its record, less the first of the chunk
}

// A mark is the part of an entry that is examined for every common key, so all marks are stored
// together. Its upper bits are the number of elements, or mostSize if there are more. The other
// bits are the parities of as many ranges of their hashes.
type mark uint64

const (
	ranges   = 57
	mostSize = 1<<(64-ranges) - 1
)

// markOf returns the mark of the hashes of a set.
func markOf(hashes []uint64) (m mark) {
	for _, h := range hashes {
		m ^= 1 << (h >> (64 - hashBits) * ranges >> hashBits)
	}
	return m | mark(min(len(hashes), mostSize))<<ranges
}

// size returns the number of elements, at most mostSize.
func (m mark) size() int { return int(m >> ranges) }

// differing returns a lower bound for the number of elements that only one of two sets has.
func (m mark) differing(other mark) int { return bits.OnesCount64(uint64(m^other) << (64 - ranges)) }

const (
	rowBytes   = int(unsafe.Sizeof(row{}))
	entryBytes = rowBytes + int(unsafe.Sizeof(mark(0)))
)

// entries stores the sets that are remembered.
type entries struct {
	chunks [][]row
	memory [][]uint64 // of chunks
	marks  []mark     // with spare capacity, outside the Go heap
	marked []uint64   // memory of marks
	firsts []uint64   // the first record of each chunk
	count  int
}

func (e *entries) row(entry uint32) *row { return &e.chunks[entry/rowsPerChunk][entry%rowsPerChunk] }

// number returns the record of an entry.
func (e *entries) number(entry uint32) uint64 {
	return e.firsts[entry/rowsPerChunk] + uint64(e.row(entry).number)
}

// placeOf returns the place of the set of an entry.
func (e *entries) placeOf(entry uint32) memory.SetPlace { return memory.SetPlace(e.row(entry).place) }

// add adds an entry for a record.
func (e *entries) add(number uint64, m mark, r row) (entry uint32, err error) {
	if err := e.growMarks(); err != nil {
		return 0, err
	}
	if e.count == len(e.chunks)*rowsPerChunk {
		allocate := offheap.Allocate
		if e.count == 0 { // a small index fills little of its first chunk
			allocate = offheap.AllocateSparse
		}
		words, err := allocate(rowsPerChunk * uint64(rowBytes) / 8)
		if err != nil {
			return 0, err
		}
		rows := unsafe.Slice((*row)(unsafe.Pointer(&words[0])), rowsPerChunk)
		e.chunks, e.memory, e.firsts = append(e.chunks, rows), append(e.memory, words), append(e.firsts, number)
	}
	entry = uint32(e.count)
	above := number - e.firsts[entry/rowsPerChunk]
	if above > math.MaxUint32 {
		return 0, fmt.Errorf("%w: record %d is too far after record %d", memory.ErrFull, number, number-above)
	}
	r.number = uint32(above)
	*e.row(entry) = r
	e.marks[entry] = m
	e.count++
	return entry, nil
}

// growMarks ensures capacity for the mark of another entry.
func (e *entries) growMarks() (err error) {
	if e.count < len(e.marks) {
		return nil
	}
	if e.marked == nil {
		e.marked, err = offheap.Allocate(leastMarks)
	} else {
		e.marked, err = offheap.Grow(e.marked, offheap.RoundUp(uint64(len(e.marked))*5/4))
	}
	if err == nil {
		e.marks = unsafe.Slice((*mark)(unsafe.Pointer(&e.marked[0])), len(e.marked))
	}
	return err
}

// leastMarks is the initial capacity for marks, which take a word each.
const leastMarks = 1 << 10

func (e *entries) bytes() uint64 {
	return uint64(len(e.chunks))*rowsPerChunk*uint64(rowBytes) + 8*uint64(len(e.marked))
}

func (e *entries) release() (err error) {
	for _, chunk := range e.memory {
		err = errors.Join(err, offheap.Release(chunk))
	}
	if e.marked != nil {
		err = errors.Join(err, offheap.Release(e.marked))
	}
	*e = entries{}
	return err
}
