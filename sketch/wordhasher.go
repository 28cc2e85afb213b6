package sketch

import (
	"bytes"
	"math"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A WordHasher hashes the words of a text with XXH3-64, byte for byte, well-formed or not. It owns
// scratch memory, so each goroutine needs its own.
type WordHasher struct {
	find func() // adds the words of text
	iter *words.Iterator[[]byte]

	text    []byte
	hashes  []uint64
	lines   []int // where the hashes of each line end
	newline int   // end of the current line
	pendingWords
	order orderedHasher
	wordWindow
}

// pendingWords are words that are still to be hashed.
type pendingWords struct {
	starts [mostSpans + hasherWindow]uint32
	ends   [mostSpans + hasherWindow]uint32
	opened int // entries in starts
	closed int // entries in ends, at most one less
}

// A wordWindow is the part of a text in which words are looked for.
type wordWindow struct {
	blocks, alnum [windowBlocks]block
	flat          [(windowBlocks + 1) * blockSize]byte
	end           [blockSize]byte // the last, short block
}

const (
	windowBlocks = 16 // processed together, small enough for the L1 cache
	hasherWindow = windowBlocks * blockSize
	mostSpans    = 1024 // maximum of pending words before a window
)

// NewSpaceWordHasher returns a WordHasher of words separated by white space.
func NewSpaceWordHasher() *WordHasher {
	h := new(WordHasher)
	h.find = h.spaceWords
	return h
}

// NewSegmentHasher returns a WordHasher of the segments of UAX #29 that are not white space,
// including punctuation.
func NewSegmentHasher() *WordHasher {
	h := &WordHasher{iter: words.FromBytes(nil)}
	h.find = h.segments
	return h
}

// Append appends the hashes of the words of a text shorter than 4 GiB, in order. Lines can be
// hashed separately with the same result: no word contains a newline.
func (h *WordHasher) Append(dst []uint64, text []byte) []uint64 {
	h.newline = math.MaxInt
	return h.append(dst, text)
}

// AppendLines is Append, and appends to ends where the hashes of each line end in dst. A line ends
// before a newline, or at the end of a text that does not end in one.
func (h *WordHasher) AppendLines(dst []uint64, ends []int, text []byte) ([]uint64, []int) {
	h.lines, h.newline = ends, newlineIn(text, 0)
	dst = h.append(dst, text)
	if ends = h.lines; len(text) > 0 && text[len(text)-1] != '\n' {
		ends = append(ends, len(dst))
	}
	h.lines = nil
	return dst, ends
}

func (h *WordHasher) append(dst []uint64, text []byte) []uint64 {
	h.text, h.hashes = text, dst
	h.find()
	h.flush()
	dst = h.hashes
	h.text, h.hashes = nil, nil
	return dst
}

// newlineIn returns the position of the first newline from from on, or one after everything.
func newlineIn(text []byte, from int) int {
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		return from + n
	}
	return math.MaxInt
}

// add adds the starts and ends of words in a block, as masks. Bytes from to on are not in the
// block.
func (h *WordHasher) add(starts, ends uint64, base, to int) {
	for h.newline < min(base+blockSize, to) {
		ended := bits.OnesCount64(ends & (2<<(h.newline-base) - 1)) // in the line
		h.lines = append(h.lines, len(h.hashes)+h.closed+ended)
		h.newline = newlineIn(h.text, h.newline+1)
	}
	if hasAVX512 {
		placesAVX512(&h.starts[h.opened], &h.ends[h.closed], starts, ends, base)
		h.opened += bits.OnesCount64(starts)
		h.closed += bits.OnesCount64(ends)
		return
	}
	h.opened = appendPlaces(h.starts[:], h.opened, starts, base)
	h.closed = appendPlaces(h.ends[:], h.closed, ends, base)
}

// close ends the open word, if there is one.
func (h *WordHasher) close(end int) {
	if h.closed < h.opened {
		h.ends[h.closed] = uint32(end)
		h.closed++
	}
}

// reserve hashes words until there is space for those of a window.
func (h *WordHasher) reserve() {
	if h.opened >= mostSpans-16 { // stores go up to 16 beyond
		h.flush()
	}
}

// flush hashes all words but an open one.
func (h *WordHasher) flush() {
	n := h.closed
	h.hashes = h.order.append(h.hashes, h.text, h.starts[:n], h.ends[:n])
	h.starts[0] = h.starts[n]
	h.opened, h.closed = h.opened-n, 0
}

// window sets the masks of a window's blocks, including those of letters and digits if hasAlnum,
// and flat, and returns the number of blocks.
func (h *WordHasher) window(text []byte, hasAlnum bool) (n int) {
	whole, rest := len(text)/blockSize, len(text)%blockSize
	n = whole
	if rest > 0 {
		copy(h.end[copy(h.end[:], text[whole*blockSize:]):], spaces)
		n++
	}
	last := h.flat[whole*blockSize:]
	if hasAlnum {
		alnumBlocks(h.alnum[:whole], h.flat[:], text)
		alnumBlocks(h.alnum[whole:n], last, h.end[:])
	}
	nonSpaceBlocks(h.blocks[:whole], h.flat[:], text)
	nonSpaceBlocks(h.blocks[whole:n], last, h.end[:])
	return n
}

// spaceWords finds words separated by white space.
func (h *WordHasher) spaceWords() {
	text := h.text
	inside, over := uint64(0), uint64(0) // over: leading bytes of a block that are white space
	for at := 0; at < len(text); at += hasherWindow {
		h.reserve()
		n := h.window(text[at:min(at+hasherWindow, len(text))], false)
		for i, b := range h.blocks[:n] {
			base := at + i*blockSize
			if b.high != 0 {
				flat := (*[2 * blockSize]byte)(h.flat[i*blockSize:])
				space, next := spacesBeyondASCII(text[base:], leadMask(flat, b.high))
				b.in |= b.high &^ (space | over)
				over = next
			}
			before := b.in<<1 | inside // bytes after a byte in a word
			inside = b.in >> 63
			h.add(b.in&^before, before&^b.in, base, len(text))
		}
	}
	h.close(len(text))
}

// spacesBeyondASCII returns the mask of non-ASCII white space in the first block of a text, and its
// continuation in the next block. leads marks the bytes that start non-ASCII code points.
func spacesBeyondASCII(text []byte, leads uint64) (mask, over uint64) {
	for ; leads != 0; leads &= leads - 1 {
		p := bits.TrailingZeros64(leads)
		switch text[p] {
		case 0xc2, 0xe1, 0xe2, 0xe3: // the lead bytes of all such white space
			if r, size := utf8.DecodeRune(text[p:]); unicode.IsSpace(r) {
				all := uint64(1)<<size - 1
				mask |= all << p
				over |= all >> (blockSize - p)
			}
		}
	}
	return mask, over
}
