package samples

import "github.com/mithril-stream/mithril-stream/internal/memory"

// lowerWeights are what the hashes of entries weigh at the levels below that of long texts, two
// levels a word. An entry has as many words as its level asks for, one entry after the other. They
// grow by chunks, so that nothing is ever moved; the words of an entry are in one of them.
type lowerWeights struct {
	chunks [][]uint64
	end    uint64 // the next entry's words begin there, or at the next chunk
}

const lowerChunk = 1 << 13

// add has room for some words more, which are 0, and returns where they begin.
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

// next is where so many words would begin.
func (l *lowerWeights) next(words int) uint64 {
	if left := lowerChunk - l.end%lowerChunk; left < uint64(words) {
		return l.end + left
	}
	return l.end
}

// at is the word at a place.
func (l *lowerWeights) at(place uint64) *uint64 {
	return &l.chunks[place/lowerChunk][place%lowerChunk]
}

func (l *lowerWeights) bytes() uint64 { return wordBytes * lowerChunk * uint64(len(l.chunks)) }

// bytesWith is what they take with so many words more.
func (l *lowerWeights) bytesWith(words int) uint64 {
	if words > 0 && l.next(words)/lowerChunk == uint64(len(l.chunks)) {
		return l.bytes() + wordBytes*lowerChunk
	}
	return l.bytes()
}
