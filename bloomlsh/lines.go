package bloomlsh

import "math/bits"

// A pagedLine is a line in which a key has bits.
type pagedLine struct {
	word uint64 // index of the line's first word
	bits uint64 // bits 16..63 are 8 bit numbers of 6 bits, one for each word of the line
}

const pagedLineSize = 16 // bytes

// fetch loads a word of every step-th line. The loop does nothing else, so that the processor has
// as many loads in flight as it can; computing addresses in the same loop makes the whole up to
// twice as slow.
func (f *paged) fetch(lines []pagedLine, step int) {
	sink := uint64(0)
	for i := 0; i < len(lines); i += step {
		sink += f.words[lines[i].word]
	}
	f.sink = sink
}

// test adds the bands whose lines have all their bits to a set, and returns their number. The first
// line belongs to band from. to may be nil. Meanwhile test prefetches the first line of each band
// of next, which is empty or has the length of lines.
func (f *paged) test(lines, next []pagedLine, from int, to bandSet) (present int) {
	if !hasAVX2 {
		f.fetch(next, f.partitions)
		return f.testLines(lines, from, to)
	}
	if len(next) < len(lines) {
		next = lines
	}
	for band := from; len(lines) > 0; {
		bit := band % 64
		n := min(64-bit, len(lines)/f.partitions)
		found := testLinesAVX2(&f.words[0], &lines[0], &next[0], n, f.partitions)
		if found != 0 {
			present += bits.OnesCount64(found)
			if to != nil {
				to[band/64] |= found << bit
			}
		}
		band, lines, next = band+n, lines[n*f.partitions:], next[n*f.partitions:]
	}
	return present
}

// testLines is test without prefetching.
func (f *paged) testLines(lines []pagedLine, from int, to bandSet) (present int) {
	for band := from; len(lines) >= f.partitions; band++ {
		if f.hasBand(lines) {
			present++
			if to != nil {
				to.put(band)
			}
		}
		lines = lines[f.partitions:]
	}
	return present
}

// testAgain returns how many of the bands in a set are present.
func (f *paged) testAgain(lines []pagedLine, from int, seen bandSet) (again int) {
	for band := from; len(lines) >= f.partitions; band++ {
		if seen.has(band) && f.hasBand(lines) {
			again++
		}
		lines = lines[f.partitions:]
	}
	return again
}

// hasBand reports whether the lines of the first band have all their bits.
func (f *paged) hasBand(lines []pagedLine) bool {
	for _, l := range lines[:f.partitions] {
		if testLine(f.lineAt(l), l.bits) != 0 {
			return false
		}
	}
	return true
}

// set sets the bits of all lines, and returns how many bands were present before. Meanwhile it
// prefetches the lines in next, which is empty or has the length of lines.
func (f *paged) set(lines, next []pagedLine) (present int) {
	if !hasAVX2 || len(lines) == 0 {
		f.fetch(next, 1)
		return f.setLines(lines)
	}
	if len(next) < len(lines) {
		next = lines
	}
	return setLinesAVX2(&f.words[0], &lines[0], &next[0], len(lines)/f.partitions, f.partitions)
}

// setLines is set without prefetching.
func (f *paged) setLines(lines []pagedLine) (present int) {
	for len(lines) >= f.partitions {
		missing := uint64(0)
		for _, l := range lines[:f.partitions] {
			missing |= setLine(f.lineAt(l), l.bits)
		}
		if missing == 0 {
			present++
		}
		lines = lines[f.partitions:]
	}
	return present
}

func (f *paged) lineAt(l pagedLine) *[lineWords]uint64 {
	return (*[lineWords]uint64)(f.words[l.word:])
}

// testLine returns 0 if the line has all bits, and another value if one is missing.
func testLine(line *[lineWords]uint64, bits uint64) (missing uint64) {
	missing = 1 << (bits >> 16 & 63) &^ line[0]
	missing |= 1 << (bits >> 22 & 63) &^ line[1]
	missing |= 1 << (bits >> 28 & 63) &^ line[2]
	missing |= 1 << (bits >> 34 & 63) &^ line[3]
	if missing != 0 {
		return missing
	}
	missing |= 1 << (bits >> 40 & 63) &^ line[4]
	missing |= 1 << (bits >> 46 & 63) &^ line[5]
	missing |= 1 << (bits >> 52 & 63) &^ line[6]
	missing |= 1 << (bits >> 58) &^ line[7]
	return missing
}

// setLine sets the bits and returns what testLine would have returned before. It is unrolled,
// because it takes half of the index's time without AVX2.
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
