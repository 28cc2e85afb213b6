package signatures

import "github.com/mithril-stream/mithril-stream/memory"

const (
	wordBytes = 8

	// mostPostings bounds what a key leads to: the first half are the earliest entries that have
	// the key, the others the latest.
	mostPostings = 128
)

// rowsPerChunk is how many entries have their memory together. An index grows by chunks, so that
// nothing is ever moved.
const rowsPerChunk = 1 << 15

// entries are the records that are remembered, one for each signature: a word with the record's
// number, its packed signature, and where its set is, if the index has sets.
type entries struct {
	chunks [][]uint64
	width  int // words of an entry
	packed int // of these, those of its signature
	count  int
	sealed int // chunks that are in files
}

// number is the number of the first record that had the signature.
func (e *entries) number(entry uint32) uint64 { return e.row(entry)[0] }

// signature is the packed signature of an entry.
func (e *entries) signature(entry uint32) []uint64 { return e.row(entry)[1 : 1+e.packed] }

// setAt says where the set of an entry is.
func (e *entries) setAt(entry uint32) memory.SetPlace {
	return memory.SetPlace(e.row(entry)[1+e.packed])
}

func (e *entries) putSet(entry uint32, at memory.SetPlace) { e.row(entry)[1+e.packed] = uint64(at) }

func (e *entries) row(entry uint32) []uint64 {
	at := int(entry%rowsPerChunk) * e.width
	return e.chunks[entry/rowsPerChunk][at : at+e.width : at+e.width]
}

// add remembers one more.
func (e *entries) add(number uint64, signature []uint64) (entry uint32, err error) {
	if e.count == len(e.chunks)*rowsPerChunk {
		chunk, err := memory.Allocate(uint64(rowsPerChunk * e.width))
		if err != nil {
			return 0, err
		}
		e.chunks = append(e.chunks, chunk)
	}
	entry = uint32(e.count)
	e.count++
	row := e.row(entry)
	row[0] = number
	copy(row[1:], signature)
	return entry, nil
}

func (e *entries) bytes() uint64 {
	return uint64(len(e.chunks)-e.sealed) * uint64(rowsPerChunk*e.width*wordBytes)
}

// slotOf is what is kept of a slot.
func slotOf(signature []uint64, i int) byte { return byte(signature[i/8] >> (i % 8 * 8)) }
