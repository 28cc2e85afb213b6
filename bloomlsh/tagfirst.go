package bloomlsh

import (
	"slices"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// firstTags holds the entries of the first records of a tagged generation. A few records would
// touch lines all over a large table, whose pages the system clears before: a short stream would
// wait longer for that than for all its answers.
//
// It is a hash table from lines to their entries, so it says exactly what the large table would
// say, and nothing depends on the moment at which the entries move there.
type firstTags struct {
	tagLayout
	slots   []uint64 // a line's number plus one in the high half, an entry in the low one; 0 is free
	mask    uint64
	entries int
	sink    uint64 // keeps the loads of fetch alive
}

const (
	firstTagEntries = 1 << 17 // 4,096 records by default
	firstTagSlots   = 2 * firstTagEntries
)

// firstTagWords is the length of a table for the first entries. There is none if the generation's
// own table is hardly larger, or has too many lines to number.
func (g geometry) firstTagWords() uint64 {
	if g.words() < 4*firstTagSlots || g.words()/lineWords >= 1<<32-1 || g.bands > firstTagEntries/64 {
		return 0
	}
	return firstTagSlots
}

// newFirstTags returns nil if a generation begins with its own table.
func newFirstTags(g geometry) (*firstTags, error) {
	words := g.firstTagWords()
	if words == 0 {
		return nil, nil
	}
	memory, err := allocate(words)
	if err != nil {
		return nil, err
	}
	return &firstTags{tagLayout: g.layout(), slots: memory, mask: words - 1}, nil
}

// hasRoom reports whether that many entries can be added.
func (f *firstTags) hasRoom(entries int) bool { return f.entries+entries <= firstTagEntries }

func (f *firstTags) start(word uint64) uint64 { return (word / lineWords * mulGolden) >> 40 & f.mask }

// collect counts the tags of a key. No line is full: the table would go on in the next one then.
func (f *firstTags) collect(l pagedLine, votes *tally) {
	line, print := l.word/lineWords+1, f.printOf(l.bits)
	for at := f.start(l.word); f.slots[at] != 0; at = (at + 1) & f.mask {
		if slot := f.slots[at]; slot>>32 == line {
			if entry := slot & (1<<32 - 1); entry>>f.tagBits == print {
				votes.add(f.tagIn(entry))
			}
		}
	}
}

// fetch has the processor bring the slots of lines to its caches.
func (f *firstTags) fetch(lines []pagedLine) {
	for _, l := range lines {
		f.sink += f.slots[f.start(l.word)]
	}
}

// add stores an entry, unless its line would be full then.
func (f *firstTags) add(word, entry uint64) bool {
	line, inLine, at := word/lineWords+1, 1, f.start(word)
	for ; f.slots[at] != 0; at = (at + 1) & f.mask {
		if f.slots[at]>>32 == line {
			inLine++
		}
	}
	if inLine == f.perLine() {
		return false
	}
	f.slots[at] = line<<32 | entry
	f.entries++
	return true
}

// movedTogether is how many entries are moved while their lines are on their way from memory.
const movedTogether = 64

// moveTo moves all entries to the table, those of a line in the order in which they came: each is
// in the first slot that was free from the start of its line on. A line is large enough for all of
// its entries.
func (f *firstTags) moveTo(t *tagTable) {
	free := slices.Index(f.slots, 0)
	lines := make([]pagedLine, 0, movedTogether)
	for i := range f.slots {
		if slot := f.slots[uint64(free+i)&f.mask]; slot != 0 {
			lines = append(lines, pagedLine{(slot>>32 - 1) * lineWords, slot & (1<<32 - 1)})
		}
		if len(lines) == movedTogether || i == len(f.slots)-1 {
			t.at.fetch(lines, 1)
			for _, l := range lines {
				t.add(l.word, l.bits)
			}
			lines = lines[:0]
		}
	}
}

// sample is what tagTable.sample would say.
func (f *firstTags) sample(g geometry) (fill, records float64) {
	places := float64(g.words()) * float64(unsafe.Sizeof(uint64(0))) / float64(f.bytes)
	return float64(f.entries) / places, float64(f.entries) / float64(g.bands)
}

func (f *firstTags) close() error { return offheap.Release(f.slots) }
