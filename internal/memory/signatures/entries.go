package signatures

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

const (
	wordBytes   = 8
	numberBytes = 4

	// mostPostings bounds the entries listed for a key: half are the earliest that have it, half
	// the latest.
	mostPostings = 128
)

// rowsPerChunk is the number of entries allocated together. An index grows by whole chunks, so that
// nothing is ever moved.
const rowsPerChunk = 1 << 15

// entries stores the records that are remembered, one for each distinct signature. A chunk holds
// packed signatures, then record numbers, and then the places of sets if the index has sets.
type entries struct {
	chunks [][]uint64
	// first record number of each chunk; the others are stored as differences from it
	firsts  []uint64
	packed  int // words of a packed signature
	hasSets bool
	count   int
	sealed  int // number of chunks in files
}

func newEntries(p Params) entries { return entries{packed: p.signatureWords(), hasSets: p.Sets} }

// chunkWords returns the words of a chunk.
func (e *entries) chunkWords() int {
	words := rowsPerChunk * (e.packed*wordBytes + numberBytes) / wordBytes
	if e.hasSets {
		words += rowsPerChunk
	}
	return words
}

// number returns the number of the first record with the signature of an entry.
func (e *entries) number(entry uint32) uint64 {
	return e.firsts[entry/rowsPerChunk] + uint64(e.numbers(entry)[entry%rowsPerChunk])
}

// numbers returns the record numbers of the chunk of an entry, as differences from its first.
func (e *entries) numbers(entry uint32) []uint32 {
	words := e.chunks[entry/rowsPerChunk][rowsPerChunk*e.packed:]
	return unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), rowsPerChunk)
}

// signature returns the packed signature of an entry.
func (e *entries) signature(entry uint32) []uint64 {
	at := int(entry%rowsPerChunk) * e.packed
	return e.chunks[entry/rowsPerChunk][at : at+e.packed : at+e.packed]
}

func (e *entries) place(entry uint32) *uint64 {
	return &e.chunks[entry/rowsPerChunk][e.chunkWords()-rowsPerChunk+int(entry%rowsPerChunk)]
}

// setAt returns the place of the set of an entry.
func (e *entries) setAt(entry uint32) memory.SetPlace { return memory.SetPlace(*e.place(entry)) }

func (e *entries) putSet(entry uint32, at memory.SetPlace) { *e.place(entry) = uint64(at) }

// add adds an entry.
func (e *entries) add(number uint64, signature []uint64) (entry uint32, err error) {
	if e.count == len(e.chunks)*rowsPerChunk {
		allocate := offheap.Allocate
		if e.count == 0 { // a small index fills little of its first chunk
			allocate = offheap.AllocateSparse
		}
		chunk, err := allocate(uint64(e.chunkWords()))
		if err != nil {
			return 0, err
		}
		e.chunks, e.firsts = append(e.chunks, chunk), append(e.firsts, number)
	}
	entry = uint32(e.count)
	above := number - e.firsts[entry/rowsPerChunk]
	if above > math.MaxUint32 {
		return 0, fmt.Errorf("%w: record %d is too far after record %d", memory.ErrFull, number, number-above)
	}
	e.count++
	e.numbers(entry)[entry%rowsPerChunk] = uint32(above)
	copy(e.signature(entry), signature)
	return entry, nil
}

func (e *entries) bytes() uint64 {
	return uint64(len(e.chunks)-e.sealed) * uint64(e.chunkWords()*wordBytes)
}
