package samples

import (
	"math"

	"github.com/mithril-stream/mithril-stream/memory"
)

const (
	wordBytes = 8

	// rowsPerChunk is how many entries have their memory together. An index grows by chunks, so
	// that nothing is ever moved.
	rowsPerChunk = 1 << 13
)

// entries are the records that are remembered, a row of words for each. The first word has the
// number of the record, and above it the level of the sample. The second has how many hashes are
// not common of a sample at the level of long texts, and above that the upper half of a hash of the
// whole sketch. Then come four counts a word: the same of lower levels. The last word says where
// the set is, if there are sets.
type entries struct {
	chunks [][]uint64
	width  int // words of a row
	top    int // the level of long texts
	count  uint32
}

const (
	levelAt    = 48 // bits of the number of a record
	mostRecord = 1<<levelAt - 1

	mostEntries = math.MaxUint32 - 1
)

// rowWords is how many words an entry takes beside tables.
func (p Params) rowWords() int {
	words := 2 + (p.sampling().MaxLevel()+3)/4
	if p.Sets {
		words++
	}
	return words
}

func (e *entries) row(entry uint32) []uint64 {
	at := int(entry%rowsPerChunk) * e.width
	return e.chunks[entry/rowsPerChunk][at : at+e.width : at+e.width]
}

// add remembers one more.
func (e *entries) add(record uint64, level int, check uint64) (entry uint32, err error) {
	if int(e.count) == len(e.chunks)*rowsPerChunk {
		chunk, err := memory.Allocate(uint64(rowsPerChunk * e.width))
		if err != nil {
			return 0, err
		}
		e.chunks = append(e.chunks, chunk)
	}
	entry = e.count
	e.count++
	row := e.row(entry)
	row[0], row[1] = uint64(level)<<levelAt|record, check>>32<<32
	return entry, nil
}

func (e *entries) record(entry uint32) uint64 { return e.row(entry)[0] & mostRecord }

func (e *entries) level(entry uint32) int { return int(e.row(entry)[0] >> levelAt) }

// check is the upper half of the hash of the sketch, as far as that is kept.
func (e *entries) check(entry uint32) uint32 { return uint32(e.row(entry)[1] >> 32) }

// rare is how many hashes of an entry, at its level or a larger one, are not common.
func (e *entries) rare(entry uint32, level int) int {
	row := e.row(entry)
	if level == e.top {
		return int(uint32(row[1]))
	}
	return int(row[2+level/4] >> (16 * (level % 4)) & (1<<16 - 1))
}

// count adds one to the hashes of an entry that are not common, or takes one off, at all levels
// from its own to that of a hash. A level below that of long texts has at most
// fracminhash.Least·fracminhash.MaxScale of them, which 16 bits hold.
func (e *entries) countRare(entry uint32, hashLevel int, change int) {
	row := e.row(entry)
	for level := int(row[0] >> levelAt); level <= min(hashLevel, e.top); level++ {
		if change < 0 && e.rare(entry, level) == 0 { // two hashes of it have one key
			continue
		}
		if level == e.top {
			row[1] += uint64(change)
		} else {
			row[2+level/4] += uint64(change) << (16 * (level % 4))
		}
	}
}

func (e *entries) setAt(entry uint32) memory.SetPlace {
	return memory.SetPlace(e.row(entry)[e.width-1])
}

func (e *entries) putSet(entry uint32, at memory.SetPlace) { e.row(entry)[e.width-1] = uint64(at) }

func (e *entries) bytes() uint64 { return uint64(len(e.chunks) * rowsPerChunk * e.width * wordBytes) }
