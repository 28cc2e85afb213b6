package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// tokenWriter writes tokens from blocks.
type tokenWriter struct {
	tokens *Tokens
	text   []byte // buffer of the tokens, up to its capacity
	size   int    // used bytes of text
	starts []uint32
	count  int    // used entries of starts
	inside uint64 // 1 if the last byte so far is in a token
}

// newTokenWriter returns a writer for the tokens in size bytes of text.
func newTokenWriter(t *Tokens, size int) tokenWriter {
	// At most, every other byte is a token, or three of four bytes are one and the fourth is
	// another. Stores go beyond what is written, and are overwritten by what follows.
	t.text = slices.Grow(t.text, size+size/2+3*blockSize)
	t.starts = slices.Grow(t.starts, size/2+2*blockSize)
	return tokenWriter{
		tokens: t, text: t.text[:cap(t.text)], size: len(t.text), starts: t.starts[:cap(t.starts)],
		count: len(t.starts),
	}
}

func (w *tokenWriter) close() {
	if w.inside != 0 {
		w.text[w.size] = ' '
		w.size++
	}
	w.tokens.text, w.tokens.starts = w.text[:w.size], w.starts[:w.count]
}

// write processes blocks. flat holds their flat bytes and one more block.
func (w *tokenWriter) write(blocks []block, flat []byte) {
	for i := 0; i < len(blocks); {
		b, text := &blocks[i], (*[2 * blockSize]byte)(flat[i*blockSize:])
		before := b.in<<1 | w.inside // bytes after a byte in a token
		switch {
		case b.in&before&b.cut != 0:
			w.writeCut(b, before, text)
			i++
		case hasAVX2:
			i += w.writeAVX2(blocks[i:], flat[i*blockSize:])
		default:
			w.writeWhole(b, before, text)
			i++
		}
	}
}

// writeAVX2 is writeWhole for all blocks before one with adjacent tokens, and returns their number.
func (w *tokenWriter) writeAVX2(blocks []block, flat []byte) int {
	join, afterSpaces := joinBlocksAVX2, afterSpacesAVX2
	if hasAVX512 {
		join, afterSpaces = joinBlocksAVX512, afterSpacesAVX512
	}
	n := len(blocks)
	_, to, starts := flat[:n*blockSize], w.text[w.size:][:(n+1)*blockSize], w.starts[w.count:][:n*blockSize/2+17]
	// A token starts after each space, and at the start if none is open; but not after the last
	// space if the last block ends in none.
	first := 1 - w.inside
	starts[0] = uint32(w.size)
	size, done := join(&to[0], &flat[0], &blocks[0], n, w.inside)
	clear(to[size : size+blockSize])
	w.inside = blocks[done-1].in >> 63
	w.count += int(first+w.inside) - 1 + afterSpaces(&starts[first], &to[0], size, w.size)
	w.size += size
	return done
}

// writeWhole processes a block without adjacent tokens. Most of it stays as it is: tokens separated
// by one space. So it is copied in as few pieces as possible, each up to where more than one space
// follows a token.
func (w *tokenWriter) writeWhole(b *block, before uint64, text *[2 * blockSize]byte) {
	w.inside = b.in >> 63
	keep := b.in | before // tokens and the byte after each
	odd := before &^ b.in & (b.high | ^(keep>>1 | 1<<63))
	firsts := b.in &^ before
	size := w.size
	var starts uint64 // token starts, relative to the output
	for rest := keep; rest != 0; {
		from := bits.TrailingZeros64(rest)
		copyBlock((*[blockSize]byte)(w.text[size:]), (*[blockSize]byte)(text[from:]))
		if odd == 0 {
			starts |= firsts >> from << (size - w.size)
			size += blockSize - from
			break
		}
		end := bits.TrailingZeros64(odd)
		starts |= (firsts & (2<<end - 1)) >> from << (size - w.size)
		size += end + 1 - from
		w.text[size-1] = ' '
		odd &= odd - 1
		rest = keep & (^uint64(1) << end)
	}
	w.start(starts)
	w.size = size
}

// copyBlock copies inline. The compiler would call memmove, since the blocks might overlap.
func copyBlock(to, from *[blockSize]byte) {
	for i := 0; i < blockSize; i += 16 {
		a, b := binary.LittleEndian.Uint64(from[i:]), binary.LittleEndian.Uint64(from[i+8:])
		binary.LittleEndian.PutUint64(to[i:], a)
		binary.LittleEndian.PutUint64(to[i+8:], b)
	}
}

// start appends the starts of tokens, a mask of the bytes from w.size on.
func (w *tokenWriter) start(mask uint64) { w.count = appendPlaces(w.starts, w.count, mask, w.size) }

// appendPlaces stores the positions of the bits of mask, plus base, in list from count on, and
// returns the new count. It may store up to 8 more.
func appendPlaces(list []uint32, count int, mask uint64, base int) int {
	after := count + bits.OnesCount64(mask)
	// In steps of eight, whose number is nearly always the same.
	for {
		p := (*[8]uint32)(list[count:])
		for i := range p {
			p[i] = uint32(base + bits.TrailingZeros64(mask))
			mask &= mask - 1
		}
		if mask == 0 {
			return after
		}
		count += 8
	}
}

// writeCut processes a block with adjacent tokens.
func (w *tokenWriter) writeCut(b *block, before uint64, text *[2 * blockSize]byte) {
	firsts := b.in & (^before | b.cut)
	ends := before & (^b.in | b.cut) // the bytes after tokens
	if w.inside != 0 {
		w.piece(0, &ends, text) // the rest of a token, or just the space after it
	}
	for ; firsts != 0; firsts &= firsts - 1 {
		from := bits.TrailingZeros64(firsts)
		w.starts[w.count] = uint32(w.size)
		w.count++
		w.piece(from, &ends, text)
	}
	w.inside = b.in >> 63
}

// piece writes the token, or part of a token, from text[from] to the first of ends, or to the end
// of the block.
func (w *tokenWriter) piece(from int, ends *uint64, text *[2 * blockSize]byte) {
	end := bits.TrailingZeros64(*ends)
	to := (*[16]byte)(w.text[w.size:])
	a, b := binary.LittleEndian.Uint64(text[from:]), binary.LittleEndian.Uint64(text[from+8:])
	binary.LittleEndian.PutUint64(to[:], a)
	binary.LittleEndian.PutUint64(to[8:], b)
	if end-from > 16 {
		copy(w.text[w.size+16:], text[from+16:end])
	}
	w.size += end - from
	if end < blockSize {
		w.text[w.size] = ' '
		w.size++
		*ends &= *ends - 1
	}
}
