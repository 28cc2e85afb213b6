package bloomlsh

import (
	"errors"
	"math/bits"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// firstTags holds the entries of the first records of a tagged generation. A few records would
// touch lines all over a large table, whose pages the system clears before: a short stream would
// wait longer for that than for all its answers.
//
// It is a table with fewer pages, each of which stands for several pages of the large one. Entries
// are what they will be there, and beside each is the line that it belongs to. A lookup drops the
// entries of other lines, so it says exactly what the large table would say, and nothing depends on
// the moment at which the entries move there.
type firstTags struct {
	tagTable
	homes   []uint16 // by place: which of the lines that share a page its entry belongs to
	shift   uint     // log₂ of the pages of a band that share one
	pages   uint64   // of a band of the large table
	shared  uint64   // pages of a band of this one
	entries int
	most    int         // entries
	own     []pagedLine // of the record that was looked up last
	next    []pagedLine // scratch
	isFull  bool        // a page that the record's entries belong to has no free place
}

const (
	mostFirstRecords  = 1 << 15 // that the first table has places for, unless maxFirstShift is less
	leastFirstRecords = 1 << 12 // the same for a generation that is one of several, which share memory
	maxFirstShift     = 10      // a home is a page's number of so many bits, and a line's of six
	minFirstShift     = 2
)

// firstTagShift is log₂ of the pages of a generation that share one at first. It is 0 if the
// generation's own table is small.
func (g geometry) firstTagShift() uint {
	most := uint64(leastFirstRecords)
	if g.filter == filterDoubling {
		most = mostFirstRecords
	}
	shift := uint(0)
	for shift < maxFirstShift && g.capacity>>shift > most {
		shift++
	}
	if shift < minFirstShift {
		return 0
	}
	return shift
}

// firstTagWords is the length of a generation's first table, and firstHomeWords that of the homes
// beside it.
func (g geometry) firstTagWords() uint64 {
	shift := g.firstTagShift()
	if shift == 0 {
		return 0
	}
	return (g.bandWords/pageWords + 1<<shift - 1) >> shift * pageWords * uint64(g.bands)
}

func (g geometry) firstHomeWords() uint64 {
	return g.firstTagWords() << g.layout().inWord / (64 / 16)
}

// newFirstTags returns nil if a generation begins with its own table.
func newFirstTags(g geometry) (*firstTags, error) {
	shift := g.firstTagShift()
	if shift == 0 {
		return nil, nil
	}
	words, err := offheap.AllocateSparse(g.firstTagWords())
	if err != nil {
		return nil, err
	}
	homes, err := offheap.AllocateSparse(g.firstHomeWords())
	if err != nil {
		return nil, errors.Join(err, offheap.Release(words))
	}
	f := &firstTags{
		shift: shift, pages: g.bandWords / pageWords, shared: g.firstTagWords() / pageWords / uint64(g.bands),
		most: g.bands * int(g.capacity>>shift), own: make([]pagedLine, g.bands), next: make([]pagedLine, g.bands),
	}
	f.homes = unsafe.Slice((*uint16)(unsafe.Pointer(&homes[0])), 4*cap(homes))[:4*len(homes)]
	f.tagTable = tagTable{tagLayout: g.layout(), words: words, at: &paged{words: words}}
	return f, nil
}

// hasRoom reports whether that many entries can be added.
func (f *firstTags) hasRoom(entries int) bool { return f.entries+entries <= f.most }

// share returns the lines in which the entries of a record's lines are, which are one of each band.
func (f *firstTags) share(to, lines []pagedLine) []pagedLine {
	shift, band, shared := f.shift&63, uint64(0), uint64(0)
	to = to[:len(lines)]
	for i, l := range lines {
		page := shared + (l.word/pageWords-band)>>shift
		to[i] = pagedLine{page*pageWords | l.word%pageWords, l.bits}
		band, shared = band+f.pages, shared+f.shared
	}
	return to
}

// shareOne is share for the line of any band.
func (f *firstTags) shareOne(l pagedLine) pagedLine {
	page := l.word / pageWords
	band := page / f.pages
	page = band*f.shared + (page-band*f.pages)>>f.shift
	return pagedLine{page*pageWords | l.word%pageWords, l.bits}
}

// homeOf tells a line of a band from the others that share a page.
func (f *firstTags) homeOf(band int, word uint64) uint16 {
	page := (word/pageWords - uint64(band)*f.pages) & (1<<(f.shift&63) - 1)
	return uint16(page*pageLines | word%pageWords/lineWords)
}

// homeOfOne is homeOf for the line of any band.
func (f *firstTags) homeOfOne(l pagedLine) uint16 {
	return f.homeOf(int(l.word/pageWords/f.pages), l.word)
}

// lookup is tagTable.lookup with the lines of the large table.
func (f *firstTags) lookup(hits []tagHit, places []uint64, lines, next []pagedLine) []tagHit {
	f.own = f.share(f.own[:cap(f.own)], lines)
	before := len(hits)
	hits = f.tagTable.lookup(hits, places, f.own, f.share(f.next[:cap(f.next)], next))
	f.isFull = false
	kept := hits[:before]
	for _, hit := range hits[before:] {
		f.isFull = f.isFull || hit.entries == 0
		if hit.entries = f.ofHome(hit, f.homeOf(int(hit.band), lines[hit.band].word)); hit.entries != 0 {
			kept = append(kept, hit)
		}
	}
	return kept
}

// ofHome returns which of the entries that were found belong to a line.
func (f *firstTags) ofHome(hit tagHit, home uint16) (entries uint32) {
	homes := f.homes[f.placeOf(hit.word, 0):][:f.perLine()]
	for rest := hit.entries; rest != 0; rest &= rest - 1 {
		if homes[bits.TrailingZeros32(rest)] == home {
			entries |= rest & -rest
		}
	}
	return entries
}

// collect counts the tags of a single key.
func (f *firstTags) collect(line pagedLine, votes *tally) {
	places := [1]uint64{}
	votes.hits = f.lookupLines(votes.hits[:0], places[:], []pagedLine{f.shareOne(line)})
	for _, hit := range votes.hits {
		if hit.entries = f.ofHome(hit, f.homeOfOne(line)); hit.entries != 0 {
			votes.addHit(&f.tagTable, hit)
		}
	}
}

// fetch has the processor bring lines to its caches.
func (f *firstTags) fetch(lines []pagedLine) { f.tagTable.fetch(f.share(f.next[:cap(f.next)], lines)) }

// add stores an entry, unless its page is full.
func (f *firstTags) add(line pagedLine, entry uint64) bool {
	own, places := f.shareOne(line), [1]uint64{}
	f.lookupLines(nil, places[:], []pagedLine{own})
	place := places[0]
	if place == noPlace {
		return false
	}
	if place&isBeyond != 0 {
		place &^= isBeyond
		f.putBeyond(place, own.word, entry)
	} else {
		f.put(place, entry)
	}
	f.homes[place] = f.homeOfOne(line)
	f.entries++
	return true
}

// noteHomes notes the lines of entries that are stored in the bands of a set.
func (f *firstTags) noteHomes(places []uint64, lines []pagedLine, bands bandSet) {
	for i, set := range bands {
		for ; set != 0; set &= set - 1 {
			band := 64*i + bits.TrailingZeros64(set)
			f.homes[places[band]&^isBeyond] = f.homeOf(band, lines[band].word)
			f.entries++
		}
	}
}

// movedTogether is how many entries are moved while their lines are on their way from memory.
const movedTogether = 64

// moveTo moves all entries to the table, which is empty and has room for them.
func (f *firstTags) moveTo(t *tagTable) {
	m := tagMove{to: t, counts: make([]uint8, pageLines<<f.shift)}
	var entries []homedEntry
	for page := range uint64(len(f.words) / pageWords) {
		clear(m.counts)
		entries = f.entriesIn(entries[:0], page)
		for len(entries) > 0 {
			n := min(len(entries), movedTogether)
			m.lines = m.lines[:0]
			for _, e := range entries[:n] {
				m.lines = append(m.lines, pagedLine{f.large(page, uint64(e.home)), uint64(e.entry)})
			}
			m.put(entries[:n])
			entries = entries[n:]
		}
	}
}

// A homedEntry is an entry, and the line of a page that it belongs to.
type homedEntry struct {
	entry uint32
	home  uint16
}

// entriesIn appends the entries of a page, those of a line of the large table in the order in which
// they came: entries that their line had no place for are in lines after it, and then in those from
// the beginning of the page on.
func (f *firstTags) entriesIn(entries []homedEntry, page uint64) []homedEntry {
	var wrapped []homedEntry
	for line := range uint16(pageLines) {
		word := page*pageWords + uint64(line)*lineWords
		own, foreign := f.tagTable.entriesIn(word), f.perLine()
		if f.ending > 0 {
			foreign = f.foreignFrom(word)
			own = min(own, foreign)
		}
		homes := f.homes[f.placeOf(word, 0):][:f.perLine()]
		give := func(i int) {
			e := homedEntry{uint32(f.entry(word, i)), homes[i]}
			if e.home%pageLines > line {
				wrapped = append(wrapped, e)
				return
			}
			entries = append(entries, e)
		}
		for i := range own {
			give(i)
		}
		for i := f.perLine() - 2; i >= foreign; i -= 2 {
			give(i)
		}
	}
	return append(entries, wrapped...)
}

// A tagMove fills an empty table.
type tagMove struct {
	to     *tagTable
	lines  []pagedLine // of entries, with these in place of bits
	counts []uint8     // entries by home, in the current page
	isFull bool        // a line was full: from then on entries may be in the places of other lines
}

// put adds entries, whose lines are those of the move.
func (m *tagMove) put(entries []homedEntry) {
	m.to.fetch(m.lines)
	for i, l := range m.lines {
		count := &m.counts[entries[i].home]
		if m.isFull = m.isFull || int(*count) == m.to.perLine(); m.isFull {
			m.to.add(l.word, l.bits)
			continue
		}
		m.to.put(m.to.placeOf(l.word, int(*count)), l.bits)
		*count++
	}
}

// large is the line of the large table that a home in a page is.
func (f *firstTags) large(page, home uint64) (word uint64) {
	page = page/f.shared*f.pages + (page%f.shared<<(f.shift&63) | home/pageLines)
	return page*pageWords + home%pageLines*lineWords
}

// sample is what tagTable.sample would say of the large table.
func (f *firstTags) sample(g geometry) (fill, records float64) {
	places := float64(g.words()) * float64(unsafe.Sizeof(uint64(0))) / float64(f.bytes)
	return float64(f.entries) / places, float64(f.entries) / float64(g.bands)
}

func (f *firstTags) close() error {
	return errors.Join(offheap.Release(f.words), offheap.ReleaseNumbers(f.homes))
}
