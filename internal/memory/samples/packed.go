package samples

import (
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// A packed is what a finer sample has beside the sample itself, of which only positions are kept:
// of n hashes each goes to one of placesPerHash·n positions, in their order, into which all hashes
// below the bound of the finer sample are divided. Positions stand in ascending order, as the
// differences between them, in a Golomb–Rice code (Rice: Some practical universal noiseless coding
// techniques, 1979): a number without its riceBits lower bits in unary, by zeros and a one, and
// then these bits. That takes some 4 bits a hash, in place of 32.
type packed struct {
	words []uint64
	count int // of hashes
	level int // of the sample itself
}

const (
	placesPerHash = 8 // a multiple of four, so that the bound of the sample is between two positions
	riceBits      = 2
)

// pack packs what a sketch has beside its sample. Words are appended to scratch.
func pack(scratch []uint64, s fracminhash.Sketch) packed {
	p := packed{count: s.Finer(), level: s.Level}
	w, last := bitWriter{words: scratch}, p.first()
	for i := range p.count {
		position := p.positionOf(s.FinerAt(i))
		w.put(position - last)
		last = position
	}
	p.words = w.end()
	return p
}

func (p packed) positions() uint64 { return placesPerHash * uint64(p.count) }

func (p packed) positionOf(upper uint32) uint32 {
	return uint32(uint64(upper) * p.positions() >> (32 - fracminhash.FinerLevel(p.level)))
}

// upperOf is the least upper half that has a position.
func (p packed) upperOf(position uint32) uint32 {
	return uint32((uint64(position)<<(32-fracminhash.FinerLevel(p.level)) + p.positions() - 1) / p.positions())
}

// first is where hashes begin that the sample itself does not have.
func (p packed) first() uint32 { return p.end(p.level) }

// end is where those end that are below the bound of a level, as far as they have positions of
// their own.
func (p packed) end(level int) uint32 {
	return uint32(p.positions() >> max(0, level-fracminhash.FinerLevel(p.level)))
}

// sharedCounts are how many hashes of a text are at a position of a packed sample, how many
// positions that has, and how many of these the hashes of the text have.
type sharedCounts struct{ hashes, positions, both int }

// shared looks for hashes, in ascending order, at the positions below end.
func (p packed) shared(uppers []uint32, end uint32) (counts sharedCounts) {
	r, at := bitReader{words: p.words}, p.first()
	for n := range p.count {
		step := r.take()
		if at += step; at >= end {
			break
		}
		if step == 0 && n > 0 { // another hash has the position too
			continue
		}
		counts.positions++
		i, _ := slices.BinarySearch(uppers, p.upperOf(at))
		uppers = uppers[i:]
		equal := 0
		for equal < len(uppers) && p.positionOf(uppers[equal]) == at {
			equal++
		}
		uppers = uppers[equal:]
		counts.hashes += equal
		counts.both += min(equal, 1)
	}
	return counts
}

// A bitWriter appends numbers to words, from their lowest bit on.
type bitWriter struct {
	words []uint64
	open  uint64 // the word that is not full
	used  uint   // bits of it
}

func (w *bitWriter) put(n uint32) {
	zeros := n >> riceBits
	for ; zeros >= 32-riceBits; zeros -= 16 {
		w.bits(0, 16)
	}
	low := uint64(n % (1 << riceBits))
	w.bits((low<<1|1)<<zeros, uint(zeros)+1+riceBits)
}

// bits appends the lowest bits of a number that has no others; at most 32.
func (w *bitWriter) bits(value uint64, count uint) {
	w.open |= value << w.used
	if w.used += count; w.used >= 64 {
		w.words = append(w.words, w.open)
		w.used -= 64
		w.open = value >> (count - w.used)
	}
}

func (w *bitWriter) end() []uint64 {
	if w.used > 0 {
		return append(w.words, w.open)
	}
	return w.words
}

// A bitReader reads what a bitWriter has written.
type bitReader struct {
	words []uint64
	at    uint // of the next bit
}

// window is the next bits, at least 57 of them, or zeros after the end.
func (r *bitReader) window() uint64 {
	word, bit := r.at/64, r.at%64
	w := uint64(0)
	if word < uint(len(r.words)) {
		w = r.words[word] >> bit
	}
	if word+1 < uint(len(r.words)) {
		w |= r.words[word+1] << (64 - bit)
	}
	return w
}

func (r *bitReader) take() (n uint32) {
	w := r.window()
	for ; w == 0 && r.at < 64*uint(len(r.words)); w = r.window() {
		r.at += 64
		n += 64
	}
	zeros := uint(bits.TrailingZeros64(w))
	r.at += zeros + 1
	n = (n+uint32(zeros))<<riceBits | uint32(r.window()%(1<<riceBits))
	r.at += riceBits
	return n
}
