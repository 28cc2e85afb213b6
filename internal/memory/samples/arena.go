package samples

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// An arena stores the finer samples of entries, which differ in length. It grows by whole chunks,
// so that nothing is ever moved in memory; sealed chunks move to a file unchanged.
type arena struct {
	chunks [][]uint64
	sealed int    // number of chunks in files
	used   int    // words used of the last chunk
	words  uint64 // words of all chunks in memory
}

// arenaChunk is the number of words of a chunk. A longer sample gets a chunk of its own.
const arenaChunk = 1 << offsetBits

// A place locates the words of an entry: the number of a chunk, the offset in it, and in the lowest
// bits the number of hashes of the finer sample.
type place uint64

const (
	finerBits  = 28 // fracminhash does not support more
	offsetBits = 13
	chunkAt    = finerBits + offsetBits
)

func (p place) chunk() int  { return int(p >> chunkAt) }
func (p place) offset() int { return int(p >> finerBits % arenaChunk) }
func (p place) count() int  { return int(p % (1 << finerBits)) }

// at returns the words from a place to the end of its chunk.
func (a *arena) at(p place) []uint64 { return a.chunks[p.chunk()][p.offset():] }

// add stores a finer sample.
func (a *arena) add(finer packed) (place, error) {
	words := len(finer.words)
	if words == 0 {
		return 0, nil
	}
	if !a.fits(words) {
		chunk, err := memory.Allocate(uint64(max(arenaChunk, words)))
		if err != nil {
			return 0, err
		}
		a.chunks, a.used, a.words = append(a.chunks, chunk), 0, a.words+uint64(len(chunk))
	}
	last := len(a.chunks) - 1
	at := place(last<<chunkAt | a.used<<finerBits | finer.count)
	copy(a.chunks[last][a.used:], finer.words)
	a.used += words
	return at, nil
}

// fits reports whether the last chunk has that many words left.
func (a *arena) fits(words int) bool {
	return len(a.chunks) > a.sealed && a.used+words <= min(arenaChunk, len(a.chunks[len(a.chunks)-1]))
}

func (a *arena) bytes() uint64 { return wordBytes * a.words }

// bytesWith returns the memory of the arena after adding that many words.
func (a *arena) bytesWith(words int) uint64 {
	if a.fits(words) || words == 0 {
		return a.bytes()
	}
	return a.bytes() + wordBytes*uint64(max(arenaChunk, words))
}

// eachChunk calls do with the words in memory.
func (a *arena) eachChunk(do func(words []uint64)) {
	for i := a.sealed; i < len(a.chunks); i++ {
		do(a.chunks[i])
	}
}

// seal frees the memory. The words follow in file, in the order in which eachChunk passed them.
func (a *arena) seal(file *spill.File) (err error) {
	for i := a.sealed; i < len(a.chunks); i++ {
		words := file.Next(len(a.chunks[i]))
		err = errors.Join(err, offheap.Release(a.chunks[i]))
		a.chunks[i] = words
	}
	a.sealed, a.words = len(a.chunks), 0
	return err
}

func (a *arena) close() (err error) {
	for _, chunk := range a.chunks[a.sealed:] {
		err = errors.Join(err, offheap.Release(chunk))
	}
	return err
}
