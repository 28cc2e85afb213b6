package samples

import "github.com/mithril-stream/mithril-stream/internal/memory"

// lowerWeights stores the weights of entries at the levels below that of long texts, two levels to
// a word. The number of words of an entry depends on its level. Memory grows by whole chunks, so
// that nothing is ever moved; the words of an entry are in one chunk.
type lowerWeights struct {
	chunks [][]uint64
	end    uint64 // where the words of the next entry begin, unless it needs the next chunk
}

const lowerChunk = 1 << 13

// add allocates zeroed words, and returns where they begin.
func (l *lowerWeights) add(words int) (at uint64, err error) {
	at = l.next(words)
	if at/lowerChunk == uint64(len(l.chunks)) && words > 0 {
		chunk, err := memory.Allocate(lowerChunk)
		if err != nil {
			return 0, err
		}
		l.chunks = append(l.chunks, chunk)
	}
	l.end = at + uint64(words)
	return at, nil
}

// next returns where that many words would begin.
func (l *lowerWeights) next(words int) uint64 {
	if left := lowerChunk - l.end%lowerChunk; left < uint64(words) {
		return l.end + left
	}
	return l.end
}

// at returns the word at a place.
func (l *lowerWeights) at(place uint64) *uint64 {
	return &l.chunks[place/lowerChunk][place%lowerChunk]
}

func (l *lowerWeights) bytes() uint64 { return wordBytes * lowerChunk * uint64(len(l.chunks)) }

// bytesWith returns the memory after adding that many words.
func (l *lowerWeights) bytesWith(words int) uint64 {
	if words > 0 && l.next(words)/lowerChunk == uint64(len(l.chunks)) {
		return l.bytes() + wordBytes*lowerChunk
	}
	return l.bytes()
}
