package bloomlsh

import (
	"math"
	"math/bits"
)

// paged is an array of page-local partitioned Bloom filters. A key picks one 4 KiB page of its band, one line of 64 bytes in
// each partition of the page, and one bit in each of the 8 words of those lines. A key so costs a few cache misses and one
// translation of an address, where a plain Bloom filter costs a miss and a translation for each of its 20 to 40 bits; it needs
// 6 to 19 % more bits for the same rate (rate.go).
//
// The misses are made to overlap: first all lines of a record are addressed, then one word of each is loaded, so that the memory
// system works on all of them at once, and only then they are tested and set.
type paged struct {
	words      []uint64
	pages      uint64 // of one band
	partitions int
	starts     [maxPartitions]uint64 // first line of each partition
	sizes      [maxPartitions]uint64 // lines of each partition
	lines      []pagedLine           // of the record at hand: partitions lines for each band
	sink       uint64                // keeps the loads of touch alive
}

// pagedLine is a line in which a key has bits.
type pagedLine struct {
	word uint64 // index of the line's first word
	bits uint64 // bits 16..63 are 8 bit numbers of 6 bits, one for each word of the line
}

func newPaged(g geometry, words []uint64) *paged {
	f := &paged{
		words:      words,
		pages:      g.bandWords / pageWords,
		partitions: g.probes,
		lines:      make([]pagedLine, g.bands*g.probes),
	}
	for part := range g.probes {
		f.starts[part] = partitionStart(part, g.probes)
		f.sizes[part] = partitionStart(part+1, g.probes) - f.starts[part]
	}
	return f
}

// Multipliers of the hash. They are part of the file format. Odd, with no structure: the golden ratio and the constants of the
// finalisers of SplitMix64 and MurmurHash3, whose avalanche is well studied.
const (
	mulGolden = 0x9e3779b97f4a7c15
	mulA      = 0xbf58476d1ce4e5b9
	mulB      = 0x94d049bb133111eb
	mulC      = 0xff51afd7ed558ccd
)

// spread turns a key into two 64-bit values, one that picks the page and one from which the lines follow. It maps the 128 bits
// one to one, so no two keys are confused by it, and mixes keys that differ in few bits or whose high half is always 0.
func spread(key Key) (page, line uint64) {
	u := (key.Lo ^ mulGolden) * mulA
	u = (u ^ u>>32) * mulB
	u ^= u >> 29
	v := (key.Hi + u) * mulC
	v = (v ^ v>>32) * mulA
	v ^= v >> 29
	return v, u + v*mulGolden
}

// lineOf derives the lines one after the other: the line's place in its partition from the low 16 bits, the bits in it from
// the other 48.
func lineOf(state uint64) (bits uint64) {
	h := (state ^ state>>29) * mulB
	return h ^ h>>32
}

// address finds every line of the record.
func (f *paged) address(keys []Key) []pagedLine {
	lines := f.lines[:0]
	firstPage := uint64(0)
	for _, key := range keys {
		pageHash, state := spread(key)
		page, _ := bits.Mul64(pageHash, f.pages)
		for part := range f.partitions {
			state *= mulC
			h := lineOf(state)
			line := f.starts[part] + (h&0xffff*f.sizes[part])>>16
			lines = append(lines, pagedLine{(firstPage+page)*pageWords + line*lineWords, h})
		}
		firstPage += f.pages
	}
	return lines
}

// touch loads a word of every step-th line. The loop does nothing else, so that as many loads as the processor can have in
// flight are in flight; addressing in the same loop makes the whole up to twice as slow.
func (f *paged) touch(lines []pagedLine, step int) {
	sink := uint64(0)
	for i := 0; i < len(lines); i += step {
		sink += f.words[lines[i].word]
	}
	f.sink = sink
}

// contains touches the first line of each band only: nearly always it decides.
func (f *paged) contains(keys []Key) (any, all bool) {
	lines := f.address(keys)
	f.touch(lines, f.partitions)
	return f.test(lines)
}

func (f *paged) add(keys []Key) (present, new bool) {
	lines := f.address(keys)
	f.touch(lines, 1)
	missingAny := uint64(0)
	for len(lines) >= f.partitions {
		missing := uint64(0)
		for _, l := range lines[:f.partitions] {
			missing |= setLine(f.lineAt(l), l.bits)
		}
		present = present || missing == 0
		missingAny |= missing
		lines = lines[f.partitions:]
	}
	return present, missingAny != 0
}

func (f *paged) addAbsent(keys []Key) bool {
	lines := f.address(keys)
	f.touch(lines, 1)
	if any, _ := f.test(lines); any {
		return true
	}
	for _, l := range lines {
		setLine(f.lineAt(l), l.bits)
	}
	return false
}

// test reports whether all lines of any band have all their bits, and whether those of all bands have.
func (f *paged) test(lines []pagedLine) (any, all bool) {
	for all = true; len(lines) >= f.partitions && !(any && !all); lines = lines[f.partitions:] {
		missing := uint64(0)
		for _, l := range lines[:f.partitions] {
			missing |= testLine(f.lineAt(l), l.bits)
			if missing != 0 {
				break
			}
		}
		any = any || missing == 0
		all = all && missing == 0
	}
	return any, all
}

func (f *paged) lineAt(l pagedLine) *[lineWords]uint64 {
	return (*[lineWords]uint64)(f.words[l.word:])
}

// testLine returns 0 if the line has all bits, and something else if one is missing.
func testLine(line *[lineWords]uint64, bits uint64) (missing uint64) {
	missing = 1 << (bits >> 16 & 63) &^ line[0]
	missing |= 1 << (bits >> 22 & 63) &^ line[1]
	missing |= 1 << (bits >> 28 & 63) &^ line[2]
	missing |= 1 << (bits >> 34 & 63) &^ line[3]
	missing |= 1 << (bits >> 40 & 63) &^ line[4]
	missing |= 1 << (bits >> 46 & 63) &^ line[5]
	missing |= 1 << (bits >> 52 & 63) &^ line[6]
	missing |= 1 << (bits >> 58) &^ line[7]
	return missing
}

// setLine sets the bits and returns what testLine would have returned before. Unrolled: it is half of the index's time.
func setLine(line *[lineWords]uint64, bits uint64) (missing uint64) {
	var bit, word uint64
	bit, word = 1<<(bits>>16&63), line[0]
	missing, line[0] = bit&^word, word|bit
	bit, word = 1<<(bits>>22&63), line[1]
	missing, line[1] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>28&63), line[2]
	missing, line[2] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>34&63), line[3]
	missing, line[3] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>40&63), line[4]
	missing, line[4] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>46&63), line[5]
	missing, line[5] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>52&63), line[6]
	missing, line[6] = missing|bit&^word, word|bit
	bit, word = 1<<(bits>>58), line[7]
	missing, line[7] = missing|bit&^word, word|bit
	return missing
}

func (f *paged) sample(limit int) (fill, records float64) {
	lines := len(f.words) / lineWords
	step := max(1, lines/limit) | 1 // odd: visits all partitions alike
	ones, keys, sampled := 0, 0.0, 0
	for line := 0; line < lines; line += step {
		set := 0
		for _, word := range f.words[line*lineWords:][:lineWords] {
			set += bits.OnesCount64(word)
		}
		ones += set
		keys += keysOfLine[min(set, lineBits-1)]
		sampled++
	}
	perLine := keys / float64(sampled)
	bandLines := float64(f.pages * pageLines)
	return float64(ones) / float64(sampled*lineBits), perLine * bandLines / float64(f.partitions)
}

// keysOfLine estimates the keys of a line from its set bits: each key sets 1 of the 64 bits of every word, so ones/512 =
// 1-(63/64)^keys.
var keysOfLine = func() (table [lineBits]float64) {
	for ones := range table {
		table[ones] = math.Log1p(-float64(ones)/lineBits) / math.Log(63./64)
	}
	return table
}()
