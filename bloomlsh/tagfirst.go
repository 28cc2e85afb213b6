package bloomlsh

import (
	"errors"
	"math/bits"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// firstTags holds the entries of the first records of a tagged generation. Even a few records would
// touch lines all over a large table, whose pages the system would have to clear first: a short
// stream would wait longer for that than for all its verdicts.
//
// It is a table with fewer pages, each of which represents several pages of the large one. Entries
// are as they will be there, and each is stored with the line that it belongs to. A lookup ignores
// entries of other lines, so it finds exactly what it would find in the large table, and nothing
// depends on when the entries move there.
type firstTags struct {
	tagTable
	homes   []uint16 // by place: to which of the lines that share a page its entry belongs
	shift   uint     // log₂ of the number of pages of a band that share one
	pages   uint64   // pages per band in the large table
	shared  uint64   // pages per band in this table
	entries int
	most    int         // maximum number of entries
	own     []pagedLine // lines of the record that was looked up last
	next    []pagedLine // scratch
	isFull  bool        // a page that the record's entries belong to is full
}

const (
	mostFirstRecords  = 1 << 15 // capacity of the first table, unless maxFirstShift makes it larger
	leastFirstRecords = 1 << 12 // the same for one of several generations, which share memory
	maxFirstShift     = 10      // a home consists of that many bits of a page and six of a line
	minFirstShift     = 2
)

// firstTagShift returns log₂ of the number of pages of a generation that initially share one. It is
// 0 if the generation's own table is small.
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

// firstTagWords returns the length of a generation's first table, and firstHomeWords that of its
// homes.
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

// newFirstTags returns nil if a generation starts with its own table.
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
	f.tagTable = tagTable{tagLayout: *g.layout(), words: words, at: &paged{words: words}}
	return f, nil
}

// hasRoom reports whether there is space for that many more entries.
func (f *firstTags) hasRoom(entries int) bool { return f.entries+entries <= f.most }

// share returns the lines in this table for a record's lines in the large one, one for each band.
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

// shareOne is like share for a single line of any band.
func (f *firstTags) shareOne(l pagedLine) pagedLine {
	page := l.word / pageWords
	band := page / f.pages
	page = band*f.shared + (page-band*f.pages)>>f.shift
	return pagedLine{page*pageWords | l.word%pageWords, l.bits}
}

// homeOf returns a number that distinguishes a line of a band from the others that share its page.
func (f *firstTags) homeOf(band int, word uint64) uint16 {
	page := (word/pageWords - uint64(band)*f.pages) & (1<<(f.shift&63) - 1)
	return uint16(page*pageLines | word%pageWords/lineWords)
}

// homeOfOne is like homeOf for a line of any band.
func (f *firstTags) homeOfOne(l pagedLine) uint16 {
	return f.homeOf(int(l.word/pageWords/f.pages), l.word)
}

// lookup is like tagTable.lookup, but takes lines of the large table.
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

// ofHome returns which of the entries found belong to a line.
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

// fetch prefetches lines.
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

// noteHomes stores the lines of the entries in the bands of a set.
func (f *firstTags) noteHomes(places []uint64, lines []pagedLine, bands bandSet) {
	for i, set := range bands {
		for ; set != 0; set &= set - 1 {
			band := 64*i + bits.TrailingZeros64(set)
			f.homes[places[band]&^isBeyond] = f.homeOf(band, lines[band].word)
			f.entries++
		}
	}
}

// movedTogether is the number of entries moved at a time, so that fetching their lines overlaps.
const movedTogether = 64

// moveTo moves all entries to the table, which must be empty and have space for them.
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

// A homedEntry is an entry and the line of the page that it belongs to.
type homedEntry struct {
	entry uint32
	home  uint16
}

// entriesIn appends the entries of a page; those of the same line of the large table are in order
// of insertion. Entries that overflowed their line are in later lines, or in lines at the start of
// the page, which come last.
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
	lines  []pagedLine // lines of entries, with the entries in place of bits
	counts []uint8     // number of entries of each home in the current page
	isFull bool        // a line was full, so entries may have overflowed into other lines
}

// put adds entries. m.lines must contain their lines.
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

// large returns the line of the large table for a home in a page.
func (f *firstTags) large(page, home uint64) (word uint64) {
	page = page/f.shared*f.pages + (page%f.shared<<(f.shift&63) | home/pageLines)
	return page*pageWords + home%pageLines*lineWords
}

// sample returns what tagTable.sample would return for the large table.
func (f *firstTags) sample(g geometry) (fill, records float64) {
	places := float64(g.words()) * float64(unsafe.Sizeof(uint64(0))) / float64(f.bytes)
	return float64(f.entries) / places, float64(f.entries) / float64(g.bands)
}

func (f *firstTags) close() error {
	return errors.Join(offheap.Release(f.words), offheap.ReleaseNumbers(f.homes))
}
