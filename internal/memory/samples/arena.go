package samples

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// An arena has the finer samples of entries, which take different numbers of words. It grows by
// chunks, so that nothing is ever moved, but for what is sealed: that goes to a file as it is.
type arena struct {
	chunks [][]uint64
	sealed int    // chunks that are in files
	used   int    // words of the last chunk
	words  uint64 // of all chunks in memory
}

// arenaChunk is how many words a chunk has. One that has more is for one entry alone.
const arenaChunk = 1 << offsetBits

// A place says where the words of an entry begin: the number of the chunk, and the offset in it.
// Below that is how many hashes the finer sample has.
type place uint64

const (
	finerBits  = 28 // fracminhash has no more for that number
	offsetBits = 13
	chunkAt    = finerBits + offsetBits
)

func (p place) chunk() int  { return int(p >> chunkAt) }
func (p place) offset() int { return int(p >> finerBits % arenaChunk) }
func (p place) count() int  { return int(p % (1 << finerBits)) }

// at is the words from a place on, to the end of the chunk.
func (a *arena) at(p place) []uint64 { return a.chunks[p.chunk()][p.offset():] }

// add keeps a finer sample.
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

// fits reports whether so many words have room in the last chunk.
func (a *arena) fits(words int) bool {
	return len(a.chunks) > a.sealed && a.used+words <= min(arenaChunk, len(a.chunks[len(a.chunks)-1]))
}

func (a *arena) bytes() uint64 { return wordBytes * a.words }

// bytesWith is what the arena takes with so many more words.
func (a *arena) bytesWith(words int) uint64 {
	if a.fits(words) || words == 0 {
		return a.bytes()
	}
	return a.bytes() + wordBytes*uint64(max(arenaChunk, words))
}

// eachChunk hands over the words that are in memory.
func (a *arena) eachChunk(do func(words []uint64)) {
	for i := a.sealed; i < len(a.chunks); i++ {
		do(a.chunks[i])
	}
}

// seal gives the memory back: the words are the next ones of a file, as eachChunk handed them over.
func (a *arena) seal(file *spill.File) (err error) {
	for i := a.sealed; i < len(a.chunks); i++ {
		words := file.Take(len(a.chunks[i]))
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
