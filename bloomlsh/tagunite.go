package bloomlsh

import (
	"math"
	"math/bits"
	"slices"
)

// A table does not know which groups of another table are its own: the same record may have founded
// a group in both, under any tags. If a merge added all entries of the other table, every key that
// several indexes have would look common, or worn, and nothing would find a near copy anymore. So
//
//   - an entry that both tables have is entered as often as in the table that has it more often;
//   - in every other line, a key that neither table has for tagHolders groups gets entries for at
//     most tagHolders-1, so that it stays uncommon. Records need few votes by such keys;
//   - in the remaining lines it gets entries for up to mostUnited groups, so that variants of a
//     record in several indexes are all found.

// mostUnited is the number of groups for which a merge enters a key.
const mostUnited = 2 * tagHolders

// reliableBits is the number of print bits that must be equal for two entries to have the same key.
// With fewer, a line of 32 entries has several with an equal print by chance.
const reliableBits = 5

// unite adds entries of a table of the same shape, and returns how many of them it had no space
// for.
//
// In a table that does not double, nothing says which line an entry overflowed from. It is added
// from the line it is in, and found because every line before that is full. So what a full line has
// is added even if too many groups have a key then: the same line of the union must be full, too.
//
// This table has the given number of records. The groups of the other table get tags as if its
// records came after them: in each index tags start from the beginning, so without this shift many
// groups would become one.
func (t *tagTable) unite(words []uint64, records uint64) (lost int) {
	other := tagTable{tagLayout: t.tagLayout, words: words}
	var own, others []uint64 // entries of a line
	for line := uint64(0); line < uint64(len(words)); line += lineWords {
		if others = other.entriesOf(others[:0], line, false); len(others) == 0 {
			continue
		}
		for i, entry := range others {
			others[i] = entry&^t.tags() | uint64(t.tagOf(uint64(t.tagIn(entry))-1+records))
		}
		own = t.entriesOf(own[:0], line, true)
		limits := t.ending > 0 || len(others) < t.perLine()
		for i, entry := range others {
			if !t.lacks(own, others[:i+1]) || limits && t.hasEnough(own, others, i, line) {
				continue
			}
			if !t.add(line, entry) {
				lost++
				continue
			}
			own = append(own, entry)
		}
	}
	return lost
}

// entriesOf appends the entries of a line, those included that overflowed into other lines. In a
// table that does not double, only with beyond: then all entries that a lookup meets in that line
// and those after it.
func (t *tagTable) entriesOf(entries []uint64, word uint64, beyond bool) []uint64 {
	if t.ending > 0 {
		return t.ownEntriesOf(entries, word)
	}
	for line := word; ; {
		n := t.entriesIn(line)
		for i := range n {
			entries = append(entries, t.entry(line, i))
		}
		if line = nextLine(line); n < t.perLine() || !beyond || line == word {
			return entries
		}
	}
}

// ownEntriesOf is entriesOf for a table that doubles.
func (t *tagTable) ownEntriesOf(entries []uint64, word uint64) []uint64 {
	for i := range t.ownIn(word) {
		entries = append(entries, t.entry(word, i))
	}
	if t.freeIn(word) < t.perLine() {
		return entries
	}
	home := word%pageWords/lineWords + 1
	for line, isLast := nextLine(word), false; line != word && !isLast; line = nextLine(line) {
		foreign := t.foreignFrom(line)
		for i := t.perLine() - 2; i >= foreign; i -= 2 {
			if entry, of := t.pair(line, i); of == home {
				entries = append(entries, entry)
			}
		}
		isLast = t.hasRoomForForeign(line, foreign)
	}
	return entries
}

// lacks reports whether entries have the last one of others less often than these have it. If its
// print is too short to tell, it is always lacking.
func (l *tagLayout) lacks(own, others []uint64) bool {
	last := others[len(others)-1]
	_, times := l.holdersOf(own, last)
	_, ordinal := l.holdersOf(others, last)
	return times < ordinal || ordinal == 0
}

// hasEnough reports whether a key gets no further groups: that of entry i of those that another
// table has for a line.
func (l *tagLayout) hasEnough(own, others []uint64, i int, line uint64) bool {
	holders, times := l.holdersOf(own, others[i])
	switch {
	case times > 0:
		return false
	case line/lineWords%2 != 0:
		return holders == mostUnited
	case holders < tagHolders-1:
		return false
	}
	theirs, _ := l.holdersOf(others, others[i])
	return holders >= tagHolders || theirs < tagHolders
}

// holdersOf returns how many groups have an entry with the key of the given one, at most
// mostUnited, and how many of these entries are for its own group.
func (l *tagLayout) holdersOf(entries []uint64, entry uint64) (holders, own int) {
	var tags [mostUnited]uint16
	for _, e := range entries {
		if !l.agree(e, entry) {
			continue
		}
		tag := l.tagIn(e)
		if tag == l.tagIn(entry) {
			own++
		}
		if holders < mostUnited && !slices.Contains(tags[:holders], tag) {
			tags[holders] = tag
			holders++
		}
	}
	return holders, own
}

// agree reports whether two entries have the same print, as far as the shorter print goes.
func (l *tagLayout) agree(a, b uint64) bool {
	a, b = a>>l.tagBits, b>>l.tagBits
	if l.ending == 0 {
		return a == b
	}
	last := max(a&-a, b&-b) // the bit that ends the shorter print
	return a^b < 2*last && bits.TrailingZeros64(last) <= l.printBits-reliableBits
}

// met returns how many entries with an equal print a lookup of an unseen key meets on average: an
// entry counts for each print that the bits it has lost could have made.
func (t *tagTable) met() float64 {
	matches := uint64(0)
	add := func(entry uint64) {
		lost := 0
		if t.ending > 0 {
			lost = bits.TrailingZeros64(entry >> t.tagBits)
		}
		matches += 1 << lost
	}
	for line := uint64(0); line < uint64(len(t.words)); line += lineWords {
		if t.ending == 0 {
			for i := range t.entriesIn(line) {
				add(t.entry(line, i))
			}
			continue
		}
		for i := range t.ownIn(line) {
			add(t.entry(line, i))
		}
		for i := t.foreignFrom(line); i < t.perLine(); i += 2 {
			entry, _ := t.pair(line, i)
			add(entry)
		}
	}
	return math.Ldexp(float64(matches), -t.printBits) / float64(len(t.words)/lineWords)
}
