package bloomlsh

import (
	"math"
	"math/bits"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// A Bloom filter says whether a key was seen. It cannot say whose key it was, so the votes of a
// record may come from many earlier records that do not resemble it. In a crowd of pages that
// share a frame, every page collects enough votes sooner or later.
//
// A tagged filter stores an entry for each key: a print, which is a few bits of the key's hash, and
// a tag, which is a few bits of the number of the group that the key belongs to. A group is a
// record together with everything that was removed because of it. Only votes of the same group
// count together. A key is stored for the first tagHolders groups that have it.
//
// The layout follows the paged filter: a key selects one 4 KiB page of its band and one line of 64
// bytes in it. Entries fill a line in order. If a line is full they continue in the next line of
// the page, and after the last line in the first. So nearly every lookup costs a single cache line.

// tagHolders is the maximum number of groups stored for a key. A key with that many groups is
// common: it comes from what many records share, such as the frame of a site.
const tagHolders = 4

// uncommonVotes returns how many of a duplicate's votes must come from keys that are not common.
// The first records of a crowd hold its common keys, and everything that comes later is compared
// with them by these keys: sooner or later one of them has enough votes by chance.
func uncommonVotes(votes int) int { return max(1, votes/4) }

// plentyOfVotes returns how many votes make a duplicate even if they all come from common keys.
// They are twice as many as usual: 16 of 32 bands of 8 rows correspond to a similarity of .92.
// Without this rule, near copies of answers to one long post would be missed, since nearly all of
// their keys are common. Pages whose frame is .84 of their text do not reach it: even if one group
// has the whole frame, 16 bands agree with a probability of .002.
func plentyOfVotes(votes int) int { return 2 * votes }

// A tagLayout says how an entry is divided into the print of a key, its high bits, and the tag of a
// group. Tags are never 0, so entries are not either. There are four layouts, which never change.
// Their methods have pointers as receivers, because Go would copy the value even in an inlined
// call.
type tagLayout struct {
	bytes     int  // bytes per entry
	inWord    uint // log₂ of the entries per word; a division would take longer than the rest of a lookup
	printBits int
	tagBits   int
	// ending is 1 if a 1 bit ends the print, so that the print can become shorter and the table can
	// double (tagdouble.go); otherwise 0.
	ending int
	load   float64 // fraction of the places of a full generation that are used
	spread float64 // entries met by a lookup in a full table, relative to the average in a line
}

// Narrow entries suffice if a duplicate needs several votes. Wide ones are used if it needs few, or
// if many generations are looked up. A page with fewer places varies more, so it is filled less.
var (
	narrowTags = tagLayout{bytes: 2, inWord: 2, printBits: narrowPrint, tagBits: 9, load: .9, spread: 2.1}
	wideTags   = tagLayout{bytes: 4, inWord: 1, printBits: 16, tagBits: 16, load: .85, spread: 2.3}

	narrowDoubling = tagLayout{bytes: 2, inWord: 2, printBits: narrowPrint, tagBits: 8, ending: 1, load: .835,
		spread: 1.05}
	wideDoubling = tagLayout{bytes: 4, inWord: 1, printBits: 15, tagBits: 16, ending: 1, load: .75, spread: 1.1}
)

// narrowPrint is the number of print bits in a narrow entry.
const narrowPrint = 7

// layoutOf returns the layout with entries of the given size, for a table that doubles or not.
func layoutOf(bytes int, doubles bool) *tagLayout {
	switch isWide := bytes == wideTags.bytes; {
	case isWide && doubles:
		return &wideDoubling
	case isWide:
		return &wideTags
	case doubles:
		return &narrowDoubling
	}
	return &narrowTags
}

// perLine returns the number of entries that fit into a line.
func (l *tagLayout) perLine() int { return lineWords << (l.inWord & 3) }

// tags returns the number of different tags.
func (l *tagLayout) tags() uint64 { return 1<<l.tagBits - 1 }

// tagOf returns the tag of the group founded by the given record. Records are numbered in order,
// without copies, since copies are not always looked at. Using the low bits of the number gives
// different tags to neighbours, which have more in common than other records; random tags would be
// equal for some of them.
func (l *tagLayout) tagOf(record uint64) uint16 { return uint16(1 + record%l.tags()) }

// tagIn returns the tag in an entry.
func (l *tagLayout) tagIn(entry uint64) uint16 { return uint16(entry & l.tags()) }

// printOf returns the print of a key, given the hash of its line. The low 16 bits of the hash were
// used to choose the line.
func (l *tagLayout) printOf(hash uint64) uint64 { return hash >> 16 & (1<<l.printBits - 1) }

// entryOf returns the entry of a key, given the hash that lineOf returned.
func (l *tagLayout) entryOf(hash uint64, tag uint16) uint64 {
	return (l.printOf(hash)<<l.ending|uint64(l.ending))<<l.tagBits | uint64(tag)
}

// words returns the length of one band of a table for that many records, in words. It is a whole
// number of pages.
func (l *tagLayout) words(records uint64) uint64 {
	places := float64(pageLines*l.perLine()) * l.load
	return max(1, uint64(math.Ceil(float64(records)/places))) * pageWords
}

// entriesMet returns an upper bound on the average number of entries that a lookup meets in a table
// with that many words per band. If a line is full, the lookup continues in the next one.
func (l *tagLayout) entriesMet(records float64, bandWords uint64) float64 {
	return records / float64(bandWords/lineWords) * l.spread
}

// strayRate returns an upper bound on how often a band names one particular group by accident, for
// a key that was never inserted, in a table with that many words per band: an entry that the lookup
// meets has both the same print and the tag of that group.
func (l *tagLayout) strayRate(records float64, bandWords uint64) float64 {
	return l.entriesMet(records, bandWords) / math.Ldexp(float64(l.tags()), l.printBits)
}

// plannedGenerations is the number of generations planned for if an index grows. By then it holds
// several hundred times as many records as the first generation.
const plannedGenerations = 6

// tagLayout returns the layout for an index. With it, the promised rate holds for a record that
// resembles no other, when all planned generations are full.
func (p Params) tagLayout() *tagLayout {
	generations := float64(p.generations())
	switch {
	case p.doubles():
		generations = plannedDoublings.weight()
	case p.grows():
		generations = plannedGenerations
	}
	l := layoutOf(narrowTags.bytes, p.doubles())
	full := l.strayRate(float64(l.perLine())*l.load, lineWords)
	if p.strayVotes(l, full*generations) <= p.FPRate {
		return l
	}
	return layoutOf(wideTags.bytes, p.doubles())
}

// strayVotes returns how often an unseen record gets enough votes for any group by accident, given
// the rate at which a band names one particular group.
func (p Params) strayVotes(l *tagLayout, rate float64) float64 {
	return min(1, float64(l.tags())*lsh.AtLeast(p.Bands, p.Votes, rate))
}

// A tagTable is a tagged filter in memory.
type tagTable struct {
	tagLayout
	at    *paged // locates lines; of a filter it has only the words
	words []uint64
	full  []uint16 // scratch of lookup: bands whose line is full
	isFar bool     // since lookup, such entries may be in other lines of a table that doubles
	division
}

func newTagTable(g geometry, words []uint64) *tagTable {
	t := &tagTable{tagLayout: *g.layout(), at: newPaged(g.oneLine(), words), words: words}
	t.division = newDivision(g, t.at)
	return t
}

// oneLine returns the geometry of a paged filter that locates the line of a key in a table that has
// not doubled yet.
func (g geometry) oneLine() geometry {
	if g.isTagged() {
		g.probes = 1
		g.bandWords >>= g.doublings
	}
	return g
}

// isTagged reports whether a generation is a tagged filter, of either kind.
func (g geometry) isTagged() bool { return g.filter == FilterTagged || g.filter == filterDoubling }

// layout returns the layout of a tagged generation.
func (g geometry) layout() *tagLayout { return layoutOf(g.probes, g.filter == filterDoubling) }

// entry returns entry i of the line that starts at word.
func (t *tagTable) entry(word uint64, i int) uint64 {
	at, shift, bits := t.wordOf(t.placeOf(word, i))
	return t.words[at] >> shift & (1<<bits - 1)
}

// placeOf returns the number of place i of the line that starts at word.
func (l *tagLayout) placeOf(word uint64, i int) uint64 { return word<<(l.inWord&3) + uint64(i) }

// wordOf returns the word that contains a place, the place's shift in it, and its size in bits.
func (l *tagLayout) wordOf(place uint64) (word uint64, shift, bits uint) {
	inWord := l.inWord & 3
	bits = 64 >> inWord & 63
	return place >> inWord, uint(place) & (1<<inWord - 1) * bits & 63, bits
}

// put writes an entry to a free place.
func (t *tagTable) put(place, entry uint64) {
	at, shift, _ := t.wordOf(place)
	t.words[at] |= entry << shift
}

// entriesIn returns the number of entries in a line before its first free place, without looking at
// them.
func (t *tagTable) entriesIn(word uint64) int {
	if t.ending > 0 {
		return t.freeIn(word)
	}
	line, inWord := (*[lineWords]uint64)(t.words[word:]), t.inWord&3
	size := 64 >> inWord
	for i, w := range line {
		if w>>(64-size) == 0 { // the last entry in the word is free
			return i<<inWord + (bits.Len64(w)+size-1)>>(6-inWord)
		}
	}
	return t.perLine()
}

// nextLine returns the next line in the same page, which wraps around.
func nextLine(word uint64) uint64 {
	return word/pageWords*pageWords + (word+lineWords)%pageWords
}

// add stores an entry, and reports whether the page had space for it.
func (t *tagTable) add(word, entry uint64) bool {
	if t.ending > 0 {
		return t.addOwn(word, entry)
	}
	for range pageLines {
		if entries := t.entriesIn(word); entries < t.perLine() {
			t.put(t.placeOf(word, entries), entry)
			return true
		}
		word = nextLine(word)
	}
	return false
}

// sample returns the fraction of places used, from a regular sample of at most limit lines, and an
// estimate of the number of records, assuming that each has an entry in every band.
func (t *tagTable) sample(limit, bands int) (fill, records float64) {
	lines := len(t.words) / lineWords
	step := max(1, lines/limit) | 1 // odd: pages are visited at different lines
	taken, sampled := 0, 0
	for line := 0; line < lines; line += step {
		taken += t.takenIn(uint64(line * lineWords))
		sampled++
	}
	perLine := float64(taken) / float64(sampled)
	return perLine / float64(t.perLine()), perLine * float64(lines) / float64(bands)
}
