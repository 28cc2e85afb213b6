package samples

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/internal/spill"
)

// An arena stores words of entries, which differ in number. It grows by whole chunks, so that
// nothing is ever moved in memory; sealed chunks move to a file unchanged.
type arena struct {
	chunks [][]uint64
	sealed int    // number of chunks in files
	used   int    // words used of the last chunk
	words  uint64 // words of all chunks in memory
}

// arenaChunk is the number of words of a chunk. More words of one entry get a chunk of their own.
const arenaChunk = 1 << 13

// at returns the words from a place to the end of its chunk.
func (a *arena) at(place uint64) []uint64 { return a.chunks[place/arenaChunk][place%arenaChunk:] }

// add returns that many zeroed words and their place, which is where they begin if chunks follow
// each other.
func (a *arena) add(words int) (place uint64, added []uint64, err error) {
	if !a.fits(words) {
		chunk, err := offheap.Allocate(uint64(max(arenaChunk, words)))
		if err != nil {
			return 0, nil, err
		}
		a.chunks, a.used, a.words = append(a.chunks, chunk), 0, a.words+uint64(len(chunk))
	}
	if len(a.chunks) == 0 {
		return 0, nil, nil
	}
	last, from := len(a.chunks)-1, a.used
	a.used += words
	return uint64(last*arenaChunk + from), a.chunks[last][from:a.used], nil
}

// fits reports whether the last chunk has that many words left.
func (a *arena) fits(words int) bool {
	return words == 0 ||
		len(a.chunks) > a.sealed && a.used+words <= min(arenaChunk, len(a.chunks[len(a.chunks)-1]))
}

func (a *arena) bytes() uint64 { return wordBytes * a.words }

// bytesWith returns the memory of the arena after adding that many words.
func (a *arena) bytesWith(words int) uint64 {
	if a.fits(words) {
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
