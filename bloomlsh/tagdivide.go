package bloomlsh

import (
	"math"
	"math/bits"
)

// A division is how far a table has doubled, and where the lines of the current records are.
type division struct {
	doublings doublings
	undivided uint64 // pages before this one are still as they were before the last doubling
	shift     uint   // of a hash, whose high bits then are a print

	// of the current record and those ahead, as paged.lines; empty in a table that never doubles
	lines   []pagedLine
	found   []uint64 // the version in which the lines of each record were found
	version uint64   // of the places of lines
	scratch []uint64 // the page that is divided
}

func newDivision(g geometry, at *paged) division {
	if g.filter != filterDoubling {
		return division{}
	}
	return division{doublings: g.doublings, shift: uint(64 - g.layout().printBits),
		lines: make([]pagedLine, len(at.lines)), found: make([]uint64, 1+at.ahead), scratch: make([]uint64, pageWords)}
}

// resolve turns lines of a table that has not doubled into those of this one, with the prints of
// their keys where entryOf expects them. Both slices may be the same.
func (t *tagTable) resolve(to, from []pagedLine) {
	if t.ending == 0 {
		copy(to, from)
		return
	}
	doublings, shift := uint(t.doublings), t.shift&63
	if to = to[:len(from)]; doublings == 0 {
		for i, l := range from {
			to[i] = pagedLine{l.word, l.bits >> shift << 16}
		}
		return
	}
	for i, l := range from {
		page, lost := l.word/pageWords<<(doublings&63)|l.bits>>1>>(63-doublings&63), doublings
		if page>>1 < t.undivided {
			page, lost = page>>1, doublings-1
		}
		to[i] = pagedLine{page*pageWords | l.word%pageWords, l.bits << (lost & 63) >> shift << 16}
	}
}

// addressIn computes the lines of the i-th record of a batch.
func (t *tagTable) addressIn(b batch, i int) []pagedLine {
	raw := t.at.addressIn(b, i)
	if t.ending == 0 {
		return raw
	}
	return t.resolveAt(i, raw)
}

// linesOf returns the lines of record i of a batch, while it is one of the current ones.
func (t *tagTable) linesOf(i int) []pagedLine {
	raw := t.at.linesOf(i)
	if t.ending == 0 {
		return raw
	}
	slot := i % len(t.found)
	if t.found[slot] != t.version { // pages were divided since
		return t.resolveAt(i, raw)
	}
	return t.lines[slot*len(raw):][:len(raw):len(raw)]
}

func (t *tagTable) resolveAt(i int, raw []pagedLine) []pagedLine {
	slot := i % len(t.found)
	lines := t.lines[slot*len(raw):][:len(raw):len(raw)]
	t.resolve(lines, raw)
	t.found[slot] = t.version
	return lines
}

// address computes the lines of a record outside of batches.
func (t *tagTable) address(keys []Key) []pagedLine {
	raw := t.at.address(0, keys)
	if t.ending == 0 {
		return raw
	}
	return t.resolveAt(0, raw)
}

// fetch loads a word of every line. Lines that were found before the table doubled are elsewhere
// now, but within it.
func (t *tagTable) fetch(lines []pagedLine) { t.at.fetch(lines, 1) }

// divideTo divides pages until that many are left.
func (t *tagTable) divideTo(undivided uint64) {
	if undivided >= t.undivided {
		return
	}
	for t.undivided > undivided {
		t.undivided--
		t.dividePage(t.undivided)
	}
	t.version++
}

// dividePage divides a page. The entries of each line, in their order, become the first ones of
// the same line of two pages. Those that it had no room for come back to their line.
func (t *tagTable) dividePage(page uint64) {
	old := &tagTable{tagLayout: t.tagLayout, words: t.scratch}
	copy(old.words, t.words[page*pageWords:])
	clear(t.words[page*pageWords:][:pageWords]) // nothing is found there until a later page is divided
	first := 2 * page * pageWords
	foreign := uint64(math.MaxUint64) // lines that may have entries of others, a bit for each
	if hasAVX512 && t.bytes == narrowTags.bytes {
		to := t.words[first:][:2*pageWords]
		foreign = divideTagsAVX512(&old.words[0], &to[0], &to[pageWords])
	} else {
		for line := uint64(0); line < pageWords; line += lineWords {
			t.divideLine(old, line, first+line)
		}
	}
	for ; foreign != 0; foreign &= foreign - 1 {
		line := uint64(bits.TrailingZeros64(foreign)) * lineWords
		for i := t.perLine() - 2; i >= 0; i -= 2 {
			entry, home := old.pair(line, i)
			if !t.isHome(home) {
				break
			}
			t.addDivided(first+(home-1)*lineWords, entry)
		}
	}
}

// addDivided adds an entry to the line of one of the two pages that its page becomes, or of both.
func (t *tagTable) addDivided(word, entry uint64) {
	child, low, high := t.divideEntry(entry)
	if low != 0 {
		t.addOwn(word, child)
	}
	if high != 0 {
		t.addOwn(word+pageWords, child)
	}
}

// divideEntry returns an entry without the first bit of its print, and in which of the two pages it
// is: all bits of low or high are 1 if it is in the first or the second one.
func (l tagLayout) divideEntry(entry uint64) (child, low, high uint64) {
	top, tag := uint(8*l.bytes-1)&63, l.tags()
	if l.isVoid(entry) {
		return entry, math.MaxUint64, math.MaxUint64
	}
	high = -(entry >> top)
	return entry<<1&(2<<top-1)&^(tag<<1|1) | entry&tag, ^high, high
}

// isVoid reports whether an entry has no bit of a print left.
func (l tagLayout) isVoid(entry uint64) bool {
	return entry>>l.tagBits == 1<<l.printBits
}

// divideLine divides the own entries of a line.
func (t *tagTable) divideLine(old *tagTable, line, to uint64) {
	var lines [2][2 * lineWords]uint64 // of which the second half stays empty
	var n [2]uint64                    // bits that are taken
	size := uint64(64 >> (t.inWord & 3))
	for own := uint64(old.ownIn(line)); own > 0; line++ {
		in := min(own, 64/size)
		own -= in
		for word := old.words[line]; in > 0; in-- {
			child, low, high := t.divideEntry(word & (1<<size - 1))
			word = word >> (size / 2) >> (size / 2)
			lines[0][n[0]/64%uint64(len(lines[0]))] |= child & low << (n[0] & 63)
			lines[1][n[1]/64%uint64(len(lines[1]))] |= child & high << (n[1] & 63)
			n[0], n[1] = n[0]+size&low, n[1]+size&high
		}
	}
	copy(t.words[to:], lines[0][:lineWords])
	copy(t.words[to+pageWords:], lines[1][:lineWords])
}
