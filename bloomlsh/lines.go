package bloomlsh

// pagedLine is a line in which a key has bits.
type pagedLine struct {
	word uint64 // index of the line's first word
	bits uint64 // bits 16..63 are 8 bit numbers of 6 bits, one for each word of the line
}

// fetch loads a word of every step-th line. The loop does nothing else, so that as many loads as the processor can have in
// flight are in flight; addressing in the same loop makes the whole up to twice as slow.
func (f *paged) fetch(lines []pagedLine, step int) {
	sink := uint64(0)
	for i := 0; i < len(lines); i += step {
		sink += f.words[lines[i].word]
	}
	f.sink = sink
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

// set sets the bits of all lines, and reports whether those of any band were there before and whether those of any were not.
// Meanwhile it fetches the lines that are set next, of which there are as many or none.
func (f *paged) set(lines, next []pagedLine) (present, new bool) {
	if !hasAVX2 || len(lines) == 0 {
		f.fetch(next, 1)
		return f.setLines(lines)
	}
	if len(next) < len(lines) {
		next = lines
	}
	return setLinesAVX2(&f.words[0], &lines[0], &next[0], len(lines)/f.partitions, f.partitions)
}

// setLines is set that fetches nothing.
func (f *paged) setLines(lines []pagedLine) (present, new bool) {
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

func (f *paged) lineAt(l pagedLine) *[lineWords]uint64 {
	return (*[lineWords]uint64)(f.words[l.word:])
}

// testLine returns 0 if the line has all bits, and something else if one is missing.
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

// setLine sets the bits and returns what testLine would have returned before. Unrolled: without AVX2 it is half of the index's time.
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
