package bloomlsh

import (
	"math"
	"math/bits"
)

// A division records how far a table has doubled, and where the lines of the current records are.
type division struct {
	doublings doublings
	undivided uint64 // pages before this one have not been divided since the last doubling
	shift     uint   // shift that makes a hash a print, which is its high bits

	// lines of the current record and those ahead, as in paged; empty in a table that never doubles
	lines   []pagedLine
	found   []uint64 // the version at which the lines of each record were found
	version uint64   // version of the positions of lines
	scratch []uint64 // the page being divided
}

func newDivision(g geometry, at *paged) division {
	if g.filter != filterDoubling {
		return division{}
	}
	return division{doublings: g.doublings, shift: uint(64 - g.layout().printBits),
		lines: make([]pagedLine, len(at.lines)), found: make([]uint64, 1+at.ahead), scratch: make([]uint64, pageWords)}
}

// resolve converts lines of a table that has not doubled into those of this one, with the prints of
// their keys where entryOf expects them. to and from may be the same slice.
func (t *tagTable) resolve(to, from []pagedLine) {
	if t.ending == 0 {
		copy(to, from)
		return
	}
	four := 0
	if hasAVX2 && len(from) >= 4 {
		four = len(from) &^ 3
		resolveAVX2(&to[:four][0], &from[0], four, uint64(t.doublings), uint64(t.shift), t.undivided)
	}
	t.resolveFew(to[four:], from[four:])
}

// resolveFew is like resolve for a table that doubles.
func (t *tagTable) resolveFew(to, from []pagedLine) {
	doublings, shift := uint(t.doublings), t.shift&63
	to = to[:len(from)]
	for i, l := range from {
		page, lost := l.word/pageWords<<(doublings&63)|l.bits>>1>>(63-doublings&63), doublings
		if page>>1 < t.undivided {
			page, lost = page>>1, doublings-1
		}
		to[i] = pagedLine{page*pageWords | l.word%pageWords, l.bits << (lost & 63) >> shift << 16}
	}
}

// addressIn computes the lines of record i of a batch.
func (t *tagTable) addressIn(b batch, i int) []pagedLine {
	raw := t.at.addressIn(b, i)
	if t.ending == 0 {
		return raw
	}
	return t.resolveAt(i, raw)
}

// linesOf returns the lines of record i of a batch. The record must be one of the current ones.
func (t *tagTable) linesOf(i int) []pagedLine {
	raw := t.at.linesOf(i)
	if t.ending == 0 {
		return raw
	}
	slot := i % len(t.found)
	if t.found[slot] != t.version { // pages have been divided since
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

// address computes the lines of a record that is not in a batch.
func (t *tagTable) address(keys []Key) []pagedLine {
	raw := t.at.address(0, keys)
	if t.ending == 0 {
		return raw
	}
	return t.resolveAt(0, raw)
}

// fetch loads a word of every line. Lines found before the table doubled have since moved, but are
// still within it.
func (t *tagTable) fetch(lines []pagedLine) { t.at.fetch(lines, 1) }

// divideTo divides pages until only that many are undivided.
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

// dividePage divides a page into two. The entries of each line, in order, become the first ones of
// the same line in the two pages. Entries that overflowed into other lines return to their own.
func (t *tagTable) dividePage(page uint64) {
	old := &tagTable{tagLayout: t.tagLayout, words: t.scratch}
	copy(old.words, t.words[page*pageWords:])
	clear(t.words[page*pageWords:][:pageWords]) // nothing is found there until a later page is divided
	first := 2 * page * pageWords
	foreign := uint64(math.MaxUint64) // bit set of the lines that may contain entries of others
	if hasAVX2 && t.bytes == narrowTags.bytes {
		to := t.words[first:][:2*pageWords]
		foreign = divideTagsAVX2(&old.words[0], &to[0], &to[pageWords], &gather)
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

// gather contains, for each set of eight places, the bytes to shuffle so that the entries of the
// set follow each other and zeros follow them.
var gather = func() (bytes [256][16]byte) {
	for set := range bytes {
		n := 0
		for place := range uint8(8) {
			if set>>place&1 != 0 {
				bytes[set][n], bytes[set][n+1] = 2*place, 2*place+1
				n += 2
			}
		}
		for ; n < len(bytes[set]); n++ {
			bytes[set][n] = 1 << 7
		}
	}
	return bytes
}()

// addDivided adds an entry to its line in one of the two pages that its page is divided into, or in
// both.
func (t *tagTable) addDivided(word, entry uint64) {
	child, low, high := t.divideEntry(entry)
	if low != 0 {
		t.addOwn(word, child)
	}
	if high != 0 {
		t.addOwn(word+pageWords, child)
	}
}

// divideEntry returns an entry without the first bit of its print, and says which of the two pages
// it belongs to: all bits of low, or of high, are 1 if it belongs to the first, or the second.
func (l *tagLayout) divideEntry(entry uint64) (child, low, high uint64) {
	top, tag := uint(8*l.bytes-1)&63, l.tags()
	if l.isVoid(entry) {
		return entry, math.MaxUint64, math.MaxUint64
	}
	high = -(entry >> top)
	return entry<<1&(2<<top-1)&^(tag<<1|1) | entry&tag, ^high, high
}

// isVoid reports whether an entry has no bits of a print left.
func (l *tagLayout) isVoid(entry uint64) bool {
	return entry>>l.tagBits == 1<<l.printBits
}

// divideLine divides the own entries of a line.
func (t *tagTable) divideLine(old *tagTable, line, to uint64) {
	var lines [2][2 * lineWords]uint64 // the second half of each stays empty
	var n [2]uint64                    // number of bits used
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
