package samples

import "github.com/mithril-stream/mithril-stream/memory"

// An arena has words of entries that take different numbers of them. It grows by chunks, so that
// nothing is ever moved.
type arena struct {
	chunks [][]uint64
	used   int    // words of the last chunk
	words  uint64 // of all chunks
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

// add makes room for so many words, which are 0, and puts a finer sample after them.
func (a *arena) add(before int, finer packed) (place, error) {
	words := before + len(finer.words)
	if !a.fits(words) {
		chunk, err := memory.Allocate(uint64(max(arenaChunk, words)))
		if err != nil {
			return 0, err
		}
		a.chunks, a.used, a.words = append(a.chunks, chunk), 0, a.words+uint64(len(chunk))
	}
	last := len(a.chunks) - 1
	at := place(last<<chunkAt | a.used<<finerBits | finer.count)
	copy(a.chunks[last][a.used+before:], finer.words)
	a.used += words
	return at, nil
}

// fits reports whether so many words have room in the last chunk.
func (a *arena) fits(words int) bool {
	return len(a.chunks) > 0 && a.used+words <= min(arenaChunk, len(a.chunks[len(a.chunks)-1]))
}

func (a *arena) bytes() uint64 { return wordBytes * a.words }

// bytesWith is what the arena takes with so many more words.
func (a *arena) bytesWith(words int) uint64 {
	if a.fits(words) || words == 0 {
		return a.bytes()
	}
	return a.bytes() + wordBytes*uint64(max(arenaChunk, words))
}
