package samples

import (
	"math"
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
	words   []uint64
	count   int  // number of hashes
	level   int  // level of the sample itself
	isWhole bool // it includes the sample
}

const (
	// placesPerHash is a multiple of four, so that the bound of the sample falls between two
	// positions.
	placesPerHash = 8
	riceBits      = 2
)

// pack packs the part of a sketch that is not in its sample, or if isWhole all of it. It appends
// words to scratch.
func pack(scratch []uint64, s fracminhash.Sketch, isWhole bool) packed {
	p := packed{count: s.Finer(), level: s.Level, isWhole: isWhole}
	sample := s.Sample()
	if isWhole {
		p.count += len(sample)
	}
	w, last := bitWriter{words: scratch}, p.begin()
	if isWhole {
		for _, h := range sample {
			position := p.positionOf(uint32(h >> 32))
			w.put(position - last)
			last = position
		}
	}
	for i := range s.Finer() {
		position := p.positionOf(s.FinerAt(i))
		w.put(position - last)
		last = position
	}
	p.words = w.end()
	return p
}

// mostPackedWords returns the maximum number of words of that many hashes. Their differences add up
// to less than placesPerHash for each, which is two zeros, and each has a one and riceBits.
func mostPackedWords(count int) int {
	return (count*(placesPerHash>>riceBits+1+riceBits) + 63) / 64
}

func (p packed) positions() uint64 { return placesPerHash * uint64(p.count) }

func (p packed) positionOf(upper uint32) uint32 {
	return uint32(uint64(upper) * p.positions() >> (32 - fracminhash.FinerLevel(p.level)))
}

// upperOf returns the smallest upper half that belongs to a position.
func (p packed) upperOf(position uint32) uint32 {
	return uint32((uint64(position)<<(32-fracminhash.FinerLevel(p.level)) + p.positions() - 1) / p.positions())
}

// begin returns the position from which the first difference counts.
func (p packed) begin() uint32 {
	if p.isWhole {
		return 0
	}
	return p.first()
}

// first returns the first position whose hashes are not in the sample itself.
func (p packed) first() uint32 { return p.end(p.level) }

// end returns the end of the positions below the bound of a level.
func (p packed) end(level int) uint32 {
	return uint32(p.positions() >> max(0, level-fracminhash.FinerLevel(p.level)))
}

// sharedCounts counts the hashes of a text that fall on a position of a packed sample, the
// positions of that sample, and those positions on which a hash of the text falls.
type sharedCounts struct{ hashes, positions, both int }

// shared counts the positions from first to below end that the ascending hashes in uppers fall on.
func (p packed) shared(uppers []uint32, first, end uint32) (counts sharedCounts) {
	r, at, last := bitReader{words: p.words}, p.begin(), uint32(math.MaxUint32)
	for range p.count {
		if at += r.next(); at >= end {
			break
		}
		if at < first || at == last { // or another hash at the same position
			continue
		}
		last = at
		counts.positions++
		uppers = p.skip(uppers, at)
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

// compare is like shared, from position 0 of a sample that is packed whole. If more than mayDiffer
// hashes and positions are in only one of the two, it stops and returns zero counts.
func (p packed) compare(uppers []uint32, end uint32, mayDiffer int) (counts sharedCounts) {
	r, at, last, hashes := bitReader{words: p.words}, uint32(0), uint32(math.MaxUint32), len(uppers)
	for range p.count {
		if at += r.next(); at >= end {
			break
		}
		if at == last { // another hash at the same position
			continue
		}
		last = at
		counts.positions++
		for len(uppers) > 0 && p.positionOf(uppers[0]) < at {
			uppers = uppers[1:]
		}
		first := len(uppers)
		for len(uppers) > 0 && p.positionOf(uppers[0]) == at {
			uppers = uppers[1:]
		}
		equal := first - len(uppers)
		counts.hashes += equal
		counts.both += min(equal, 1)
		if counts.differing(hashes-len(uppers)) > mayDiffer {
			return sharedCounts{}
		}
	}
	return counts
}

// differing returns how many positions, and hashes out of the given number, have no equal one.
func (c sharedCounts) differing(hashes int) int { return c.positions - c.both + hashes - c.hashes }

// skip returns the uppers whose positions are at or above a position. The next one is rarely far.
func (p packed) skip(uppers []uint32, position uint32) []uint32 {
	for i, upper := range uppers[:min(len(uppers), 16)] {
		if p.positionOf(upper) >= position {
			return uppers[i:]
		}
	}
	i, _ := slices.BinarySearch(uppers, p.upperOf(position))
	return uppers[i:]
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
