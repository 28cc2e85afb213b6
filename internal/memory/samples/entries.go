package samples

import (
	"errors"
	"math"
	"sort"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// Words of a row, if anything is stored besides samples.
const (
	markAt  = 2
	placeAt = 3
)

const (
	wordBytes   = 8
	originBytes = 4

	// rowsPerChunk is the number of entries allocated together. An index grows by whole chunks, so
	// that nothing is ever moved.
	rowsPerChunk = 1 << 13
)

// entries stores the remembered records, a row of words for each. The first word holds the record
// number, the level of the sample, and where its weights at lower levels begin, relative to the
// first entry of the chunk, and a bit that says whether it has near keys. The second word holds the
// weight of the hashes at the level of long texts, and the upper half of a hash of the whole
// sketch. If there are finer samples or sets, the third word is the mark of an entry with near
// keys, and the last one locates the finer sample, with the sample if there are near keys, or the
// set. The originals of a chunk's entries follow its rows.
//
// Rows and weights stay in memory, since weights change; finer samples are sealed. No weight
// overflows: a sample has at most sketch.MaxSet hashes.
type entries struct {
	chunks   [][]uint64
	width    int // words of a row
	top      int // the level of long texts
	count    uint32
	hasFiner bool
	lower    arena    // weights at the levels below that of long texts, two levels to a word
	lowerOf  []uint64 // for each chunk, where the weights of its entries begin
	finers   arena    // packed finer samples
}

const (
	levelAt = 42 // bits of a record number
	lowerAt = levelAt + 4
	keyedAt = 63 // bit

	finerBits = 28 // of the number of hashes of a finer sample; fracminhash does not support more

	mostRecord  = 1<<levelAt - 1
	mostEntries = math.MaxUint32/2 - 1 // a posting uses one bit for something else
)

func newEntries(p Params) entries {
	return entries{width: p.rowWords(), top: p.sampling().MaxLevel(), hasFiner: p.hasFiner()}
}

// rowWords returns the words of an entry apart from tables, weights of lower levels and its finer
// sample.
func (p Params) rowWords() int {
	if p.Beside == fracminhash.Nothing {
		return 2
	}
	return 4
}

// lowerWords returns the words of the weights at the levels below that of long texts.
func (e *entries) lowerWords(level int) int { return (e.top - level + 1) / 2 }

func (e *entries) row(entry uint32) []uint64 {
	at := int(entry%rowsPerChunk) * e.width
	return e.chunks[entry/rowsPerChunk][at : at+e.width : at+e.width]
}

// add adds an entry.
func (e *entries) add(record uint64, level int, check uint64) (entry uint32, err error) {
	lower, _, err := e.lower.add(e.lowerWords(level))
	if err != nil {
		return 0, err
	}
	if int(e.count) == len(e.chunks)*rowsPerChunk {
		chunk, err := offheap.Allocate(e.chunkBytes() / wordBytes)
		if err != nil {
			return 0, err
		}
		e.chunks, e.lowerOf = append(e.chunks, chunk), append(e.lowerOf, lower)
	}
	row := e.row(e.count)
	lower -= e.lowerOf[e.count/rowsPerChunk]
	row[0], row[1] = lower<<lowerAt|uint64(level)<<levelAt|record, check>>32<<32
	e.count++
	*e.originAt(e.count - 1) = e.count - 1
	return e.count - 1, nil
}

// putMark marks an entry, which has near keys.
func (e *entries) putMark(entry uint32, mark uint64) {
	row := e.row(entry)
	row[markAt] = mark
	row[0] |= 1 << keyedAt
}

// isKeyed reports whether an entry has near keys.
func (e *entries) isKeyed(entry uint32) bool { return e.row(entry)[0]>>keyedAt == 1 }

// mark returns the mark of an entry that has near keys.
func (e *entries) mark(entry uint32) uint64 { return e.row(entry)[markAt] }

// putFiner adds the finer sample of an entry.
func (e *entries) putFiner(entry uint32, finer packed) error {
	at, words, err := e.finers.add(len(finer.words))
	if err != nil {
		return err
	}
	copy(words, finer.words)
	row := e.row(entry)
	row[placeAt] = at<<finerBits | uint64(finer.count)
	return nil
}

// originAt points to the origin of an entry: the first of all entries that are copies of each
// other. An entry that is not a copy is its own origin.
func (e *entries) originAt(entry uint32) *uint32 {
	origins := e.chunks[entry/rowsPerChunk][rowsPerChunk*e.width:]
	return &unsafe.Slice((*uint32)(unsafe.Pointer(&origins[0])), rowsPerChunk)[entry%rowsPerChunk]
}

// ofRecord returns the entry of a record, if it has one.
func (e *entries) ofRecord(record uint64) (entry uint32, ok bool) {
	i := sort.Search(int(e.count), func(i int) bool { return e.record(uint32(i)) >= record })
	return uint32(i), i < int(e.count) && e.record(uint32(i)) == record
}

func (e *entries) record(entry uint32) uint64 { return e.row(entry)[0] & mostRecord }

func (e *entries) level(entry uint32) int {
	return int(e.row(entry)[0] >> levelAt % (1 << (lowerAt - levelAt)))
}

// check returns the stored half of the hash of the entry's sketch.
func (e *entries) check(entry uint32) uint32 { return uint32(e.row(entry)[1] >> 32) }

// weight returns the weight of an entry's hashes at its own level or a higher one.
func (e *entries) weight(entry uint32, level int) uint32 {
	word, shift := e.weightAt(entry, level)
	return uint32(*word >> shift)
}

// weightAt locates that weight.
func (e *entries) weightAt(entry uint32, level int) (word *uint64, shift int) {
	row := e.row(entry)
	if level == e.top {
		return &row[1], 0
	}
	n := level - e.level(entry)
	at := e.lower.at(e.lowerOf[entry/rowsPerChunk] + row[0]&^(1<<keyedAt)>>lowerAt + uint64(n/2))
	return &at[0], 32 * (n % 2)
}

// finer returns the finer sample of an entry, which may be empty.
func (e *entries) finer(entry uint32) packed {
	if !e.hasFiner {
		return packed{}
	}
	at := e.row(entry)[placeAt]
	count := int(at % (1 << finerBits))
	if count == 0 {
		return packed{}
	}
	return packed{e.finers.at(at >> finerBits), count, e.level(entry), e.isKeyed(entry)}
}

// weigh adds the weight of a hash to an entry, at all levels from the entry's to the hash's.
func (e *entries) weigh(entry uint32, hashLevel int, more uint32) {
	for level := e.level(entry); level <= min(hashLevel, e.top); level++ {
		word, shift := e.weightAt(entry, level)
		*word += uint64(more) << shift
	}
}

// lighten subtracts from an entry some of the weight of a hash.
func (e *entries) lighten(entry uint32, hashLevel int, less uint32) {
	for level := e.level(entry); level <= min(hashLevel, e.top); level++ {
		word, shift := e.weightAt(entry, level)
		*word -= uint64(min(less, uint32(*word>>shift))) << shift // two hashes may share a key
	}
}

func (e *entries) setAt(entry uint32) memory.SetPlace {
	return memory.SetPlace(e.row(entry)[placeAt])
}

func (e *entries) putSet(entry uint32, at memory.SetPlace) { e.row(entry)[placeAt] = uint64(at) }

func (e *entries) bytes() uint64 {
	return uint64(len(e.chunks))*e.chunkBytes() + e.lower.bytes() + e.finers.bytes()
}

func (e *entries) chunkBytes() uint64 {
	return uint64(rowsPerChunk * (e.width*wordBytes + originBytes))
}

// bytesWithOneMore returns the memory of the entries after adding one.
func (e *entries) bytesWithOneMore(level int, finerWords int) uint64 {
	return (uint64(e.count)/rowsPerChunk+1)*e.chunkBytes() + e.lower.bytesWith(e.lowerWords(level)) +
		e.finers.bytesWith(finerWords)
}

func (e *entries) close() error {
	err := errors.Join(e.finers.close(), e.lower.close())
	for _, chunk := range e.chunks {
		err = errors.Join(err, offheap.Release(chunk))
	}
	return err
}
