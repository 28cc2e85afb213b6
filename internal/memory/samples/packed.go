package samples

import (
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// packed is the part of a finer sample that is not in the sample itself, stored as positions. All
// hashes below the bound of the finer sample are divided into placesPerHash·n positions, in
// ascending order, where n is the number of hashes. The positions of the hashes are stored as
// differences in a Golomb–Rice code (Rice: Some practical universal noiseless coding techniques,
// 1979): the number without its riceBits lower bits in unary, as zeros and a one, and then these
// bits. That takes some 4 bits for each hash instead of 32.
type packed struct {
	words []uint64
	count int // number of hashes
	level int // level of the sample itself
}

const (
	// a multiple of four, so that the bound of the sample falls between two positions
	placesPerHash = 8
	riceBits      = 2
)

// pack packs the part of a sketch that is not in its sample. It appends words to scratch.
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

// upperOf returns the smallest upper half that belongs to a position.
func (p packed) upperOf(position uint32) uint32 {
	return uint32((uint64(position)<<(32-fracminhash.FinerLevel(p.level)) + p.positions() - 1) / p.positions())
}

// first returns the first position whose hashes are not in the sample itself.
func (p packed) first() uint32 { return p.end(p.level) }

// end returns the end of the positions below the bound of a level.
func (p packed) end(level int) uint32 {
	return uint32(p.positions() >> max(0, level-fracminhash.FinerLevel(p.level)))
}

// sharedCounts counts the hashes of a text that fall on a position of a packed sample, the
// positions of that sample, and those of them that a hash of the text falls on.
type sharedCounts struct{ hashes, positions, both int }

// shared counts the positions below end that the ascending hashes in uppers fall on.
func (p packed) shared(uppers []uint32, end uint32) (counts sharedCounts) {
	r, at := bitReader{words: p.words}, p.first()
	for n := range p.count {
		step := r.next()
		if at += step; at >= end {
			break
		}
		if step == 0 && n > 0 { // another hash at the same position
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

// A bitWriter appends numbers to words, lowest bit first.
type bitWriter struct {
	words []uint64
	open  uint64 // the incomplete word
	used  uint   // bits used of open
}

func (w *bitWriter) put(n uint32) {
	zeros := n >> riceBits
	for ; zeros >= 32-riceBits; zeros -= 16 {
		w.bits(0, 16)
	}
	low := uint64(n % (1 << riceBits))
	w.bits((low<<1|1)<<zeros, uint(zeros)+1+riceBits)
}

// bits appends the lowest count bits, at most 32, of value, which must have no others.
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

// A bitReader reads what a bitWriter wrote.
type bitReader struct {
	words []uint64
	at    uint // position of the next bit
}

// window returns at least the next 57 bits, or zeros after the end.
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

func (r *bitReader) next() (n uint32) {
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
