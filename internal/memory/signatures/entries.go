package signatures

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/memory"
)

const (
	wordBytes   = 8
	numberBytes = 4

	// mostPostings bounds what a key leads to: the first half are the earliest entries that have
	// the key, the others the latest.
	mostPostings = 128
)

// rowsPerChunk is how many entries have their memory together. An index grows by chunks, so that
// nothing is ever moved.
const rowsPerChunk = 1 << 15

// entries are the records that are remembered, one for each signature: in a chunk of some, their
// packed signatures, then their numbers, and then where their sets are, if the index has sets.
type entries struct {
	chunks  [][]uint64
	firsts  []uint64 // the number of the first record of each chunk, to which others add little
	packed  int      // words of a signature
	hasSets bool
	count   int
	sealed  int // chunks that are in files
}

func newEntries(p Params) entries { return entries{packed: p.signatureWords(), hasSets: p.Sets} }

// chunkWords is how many words a chunk takes.
func (e *entries) chunkWords() int {
	words := rowsPerChunk * (e.packed*wordBytes + numberBytes) / wordBytes
	if e.hasSets {
		words += rowsPerChunk
	}
	return words
}

// number is the number of the first record that had the signature.
func (e *entries) number(entry uint32) uint64 {
	return e.firsts[entry/rowsPerChunk] + uint64(e.numbers(entry)[entry%rowsPerChunk])
}

// numbers are how much the numbers of a chunk are above the first one.
func (e *entries) numbers(entry uint32) []uint32 {
	words := e.chunks[entry/rowsPerChunk][rowsPerChunk*e.packed:]
	return unsafe.Slice((*uint32)(unsafe.Pointer(&words[0])), rowsPerChunk)
}

// signature is the packed signature of an entry.
func (e *entries) signature(entry uint32) []uint64 {
	at := int(entry%rowsPerChunk) * e.packed
	return e.chunks[entry/rowsPerChunk][at : at+e.packed : at+e.packed]
}

func (e *entries) place(entry uint32) *uint64 {
	return &e.chunks[entry/rowsPerChunk][e.chunkWords()-rowsPerChunk+int(entry%rowsPerChunk)]
}

// setAt says where the set of an entry is.
func (e *entries) setAt(entry uint32) memory.SetPlace { return memory.SetPlace(*e.place(entry)) }

func (e *entries) putSet(entry uint32, at memory.SetPlace) { *e.place(entry) = uint64(at) }

// add remembers one more.
func (e *entries) add(number uint64, signature []uint64) (entry uint32, err error) {
	if e.count == len(e.chunks)*rowsPerChunk {
		chunk, err := memory.Allocate(uint64(e.chunkWords()))
		if err != nil {
			return 0, err
		}
		e.chunks, e.firsts = append(e.chunks, chunk), append(e.firsts, number)
	}
	entry = uint32(e.count)
	above := number - e.firsts[entry/rowsPerChunk]
	if above > math.MaxUint32 {
		return 0, fmt.Errorf("%w: record %d comes too long after record %d", memory.ErrFull, number, number-above)
	}
	e.count++
	e.numbers(entry)[entry%rowsPerChunk] = uint32(above)
	copy(e.signature(entry), signature)
	return entry, nil
}

func (e *entries) bytes() uint64 {
	return uint64(len(e.chunks)-e.sealed) * uint64(e.chunkWords()*wordBytes)
}
