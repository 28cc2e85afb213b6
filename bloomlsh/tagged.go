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

// A tagLayout divides an entry into the print of a key, its high bits, and the tag of a group. No
// tag is 0, so that no entry is.
type tagLayout struct {
	bytes     int  // of an entry
	inWord    uint // log₂ of the entries in a word of 64 bits; a division takes longer than the rest of a lookup
	printBits int
	tagBits   int
	// 1 if a bit of 1 ends the print, so that it can become shorter: the table can double
	// (tagdouble.go). Otherwise 0
	ending int
	load   float64 // share of the places of a full generation that are taken
	spread float64 // entries that a lookup meets when it is full, in those of a line on average
}

// Narrow entries suffice where a group needs several votes, wide ones where it needs few, or where
// many generations are asked. A page of fewer places varies more, so it is filled less.
var (
	narrowTags = tagLayout{bytes: 2, inWord: 2, printBits: narrowPrint, tagBits: 9, load: .9, spread: 2.1}
	wideTags   = tagLayout{bytes: 4, inWord: 1, printBits: 16, tagBits: 16, load: .85, spread: 2.3}

	narrowDoubling = tagLayout{bytes: 2, inWord: 2, printBits: narrowPrint, tagBits: 8, ending: 1, load: .835,
		spread: 1.05}
	wideDoubling = tagLayout{bytes: 4, inWord: 1, printBits: 15, tagBits: 16, ending: 1, load: .75, spread: 1.1}
)

// narrowPrint is how many bits of a narrow entry are of the key.
const narrowPrint = 7

// layoutOf is the layout whose entries have that many bytes, of a table that doubles or not.
func layoutOf(bytes int, doubles bool) tagLayout {
	switch isWide := bytes == wideTags.bytes; {
	case isWide && doubles:
		return wideDoubling
	case isWide:
		return wideTags
	case doubles:
		return narrowDoubling
	}
	return narrowTags
}

// perLine returns the number of entries that fit into a line.
func (l tagLayout) perLine() int { return lineWords << (l.inWord & 3) }

// tags is how many different tags there are.
func (l tagLayout) tags() uint64 { return 1<<l.tagBits - 1 }

// tagOf is the tag of the group that a record founds, which is that many records after the first of
// the index. Copies do not count, since they are not always looked at. The low bits of a number
// keep neighbours apart, who have more in common than others. Tags that are drawn by chance would
// be equal for some neighbours.
func (l tagLayout) tagOf(record uint64) uint16 { return uint16(1 + record%l.tags()) }

// tagIn is the tag in an entry.
func (l tagLayout) tagIn(entry uint64) uint16 { return uint16(entry & l.tags()) }

// printOf is the print of a key whose line has this hash. The low 16 bits of the hash chose the
// line.
func (l tagLayout) printOf(hash uint64) uint64 { return hash >> 16 & (1<<l.printBits - 1) }

// entryOf returns the entry of a key, given the hash that lineOf returned.
func (l tagLayout) entryOf(hash uint64, tag uint16) uint64 {
	return (l.printOf(hash)<<l.ending|uint64(l.ending))<<l.tagBits | uint64(tag)
}

// words returns the length of one band of a table for that many records, in whole pages.
func (l tagLayout) words(records uint64) uint64 {
	places := float64(pageLines*l.perLine()) * l.load
	return max(1, uint64(math.Ceil(float64(records)/places))) * pageWords
}

// entriesMet bounds how many entries a lookup meets on average, with records in a table of that
// many words for each band. Where a line is full the lookup goes on in the next one.
func (l tagLayout) entriesMet(records float64, bandWords uint64) float64 {
	return records / float64(bandWords/lineWords) * l.spread
}

// strayRate bounds how often a band names one particular group by accident, for a key that was
// never inserted, with records in a table of that many words for each band: an entry that the
// lookup meets has the same print, and the tag of that group.
func (l tagLayout) strayRate(records float64, bandWords uint64) float64 {
	return l.entriesMet(records, bandWords) / math.Ldexp(float64(l.tags()), l.printBits)
}

// An index of a growing number of records is planned for that many generations: by then it holds
// some hundred times the records of the first one.
const plannedGenerations = 6

// tagLayout chooses the entries of an index. The promised rate holds for a record that resembles
// no other one, when all generations that are planned for are full.
func (p Params) tagLayout() tagLayout {
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

// strayVotes is how often an unseen record gets enough votes of any one group by accident, if a
// band names a particular group at the given rate.
func (p Params) strayVotes(l tagLayout, rate float64) float64 {
	return min(1, float64(l.tags())*lsh.AtLeast(p.Bands, p.Votes, rate))
}

// A tagTable is a tagged filter in memory.
type tagTable struct {
	tagLayout
	at    *paged // finds lines; of its filter it has nothing but the words
	words []uint64
	full  []uint16 // scratch of look: bands whose line is full
	isFar bool     // such entries may be in other lines since lookup, in a table that doubles
	division
}

func newTagTable(g geometry, words []uint64) *tagTable {
	t := &tagTable{tagLayout: g.layout(), at: newPaged(g.oneLine(), words), words: words}
	t.division = newDivision(g, t.at)
	return t
}

// oneLine is the geometry of a paged filter that finds the line of a key, in a table that has not
// doubled yet.
func (g geometry) oneLine() geometry {
	if g.isTagged() {
		g.probes = 1
		g.bandWords >>= g.doublings
	}
	return g
}

// isTagged reports whether a generation is a tagged filter, of either kind.
func (g geometry) isTagged() bool { return g.filter == FilterTagged || g.filter == filterDoubling }

// layout is the layout of a tagged generation.
func (g geometry) layout() tagLayout { return layoutOf(g.probes, g.filter == filterDoubling) }

// entry is the i-th entry of the line that begins at a word.
func (t *tagTable) entry(word uint64, i int) uint64 {
	at, shift, bits := t.wordOf(t.placeOf(word, i))
	return t.words[at] >> shift & (1<<bits - 1)
}

// placeOf is the number of the i-th place of the line that begins at a word.
func (l tagLayout) placeOf(word uint64, i int) uint64 { return word<<(l.inWord&3) + uint64(i) }

// wordOf is the word that a place is in, how many of its bits come before, and how many it has.
func (l tagLayout) wordOf(place uint64) (word uint64, shift, bits uint) {
	inWord := l.inWord & 3
	bits = 64 >> inWord & 63
	return place >> inWord, uint(place) & (1<<inWord - 1) * bits & 63, bits
}

// put writes an entry into a free place.
func (t *tagTable) put(place, entry uint64) {
	at, shift, _ := t.wordOf(place)
	t.words[at] |= entry << shift
}

// entriesIn is how many entries a line has before its first free place, without a look at what they
// are.
func (t *tagTable) entriesIn(word uint64) int {
	if t.ending > 0 {
		return t.freeIn(word)
	}
	line, inWord := (*[lineWords]uint64)(t.words[word:]), t.inWord&3
	size := 64 >> inWord
	for i, w := range line {
		if w>>(64-size) == 0 { // the last entry of the word is free
			return i<<inWord + (bits.Len64(w)+size-1)>>(6-inWord)
		}
	}
	return t.perLine()
}

// nextLine is the line after one in the same page.
func nextLine(word uint64) uint64 {
	return word/pageWords*pageWords + (word+lineWords)%pageWords
}

// add stores an entry, and reports whether the page had room for it.
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

// sample returns the share of the places that are taken, in a regular sample of at most limit
// lines, and the number of records that this suggests if each has an entry in every band.
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
