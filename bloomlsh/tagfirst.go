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
	most    int    // entries
	sink    uint64 // keeps the loads of fetch alive
}

const (
	mostFirstSlots  = 1 << 21 // for 32,768 records by default, in 16 MiB
	leastFirstSlots = 1 << 18
	firstSlots      = 1 << 14 // to begin with
)

// firstTagWords is the length that the table of the first entries grows to. There is none if the
// generation's own table is small, or has too many lines to number. One that is of several begins
// with the least, since they share what memory there is.
func (g geometry) firstTagWords() uint64 {
	if g.words() < 4*leastFirstSlots || g.words()/lineWords >= 1<<32-1 || g.bands > leastFirstSlots/128 {
		return 0
	}
	slots := uint64(leastFirstSlots)
	for g.filter == filterDoubling && slots < mostFirstSlots && 2*slots <= g.words() {
		slots *= 2
	}
	return slots
}

// newFirstTags returns nil if a generation begins with its own table.
func newFirstTags(g geometry) (*firstTags, error) {
	most := g.firstTagWords()
	if most == 0 {
		return nil, nil
	}
	memory, err := allocate(firstSlots)
	if err != nil {
		return nil, err
	}
	return &firstTags{tagLayout: g.layout(), slots: memory, mask: firstSlots - 1, most: int(most / 2)}, nil
}

// hasRoom makes room for that many entries, if there can be as many.
func (f *firstTags) hasRoom(entries int) bool {
	all := f.entries + entries
	for all <= f.most && 2*all > len(f.slots) {
		if f.grow() != nil {
			return false
		}
	}
	return all <= f.most
}

// grow doubles the slots.
func (f *firstTags) grow() error {
	memory, err := allocate(2 * uint64(len(f.slots)))
	if err != nil {
		return err
	}
	old := *f
	f.slots, f.mask = memory, 2*f.mask+1
	old.each(func(slot uint64) {
		at := f.start((slot>>32 - 1) * lineWords)
		for f.slots[at] != 0 {
			at = (at + 1) & f.mask
		}
		f.slots[at] = slot
	})
	return old.close()
}

// each calls do with the slots that are taken, those of a line in the order in which they came:
// each is in the first slot that was free from the start of its line on.
func (f *firstTags) each(do func(slot uint64)) {
	free := slices.Index(f.slots, 0)
	for i := range f.slots {
		if slot := f.slots[uint64(free+i)&f.mask]; slot != 0 {
			do(slot)
		}
	}
}

func (f *firstTags) start(word uint64) uint64 { return (word / lineWords * mulGolden) >> 40 & f.mask }

// collect counts the tags of a key. No line is full: the table would go on in the next one then.
func (f *firstTags) collect(l pagedLine, votes *tally) {
	line, print := l.word/lineWords+1, f.printOf(l.bits)
	for at := f.start(l.word); f.slots[at] != 0; at = (at + 1) & f.mask {
		if slot := f.slots[at]; slot>>32 == line {
			if entry := slot & (1<<32 - 1); entry>>f.below() == print {
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

// moveTo moves all entries to the table. A line is large enough for all of its entries.
func (f *firstTags) moveTo(t *tagTable) {
	lines := make([]pagedLine, 0, movedTogether)
	move := func() {
		t.fetch(lines)
		for _, l := range lines {
			t.add(l.word, l.bits)
		}
		lines = lines[:0]
	}
	f.each(func(slot uint64) {
		lines = append(lines, pagedLine{(slot>>32 - 1) * lineWords, slot & (1<<32 - 1)})
		if len(lines) == movedTogether {
			move()
		}
	})
	move()
}

// sample is what tagTable.sample would say.
func (f *firstTags) sample(g geometry) (fill, records float64) {
	places := float64(g.words()) * float64(unsafe.Sizeof(uint64(0))) / float64(f.bytes)
	return float64(f.entries) / places, float64(f.entries) / float64(g.bands)
}

func (f *firstTags) close() error { return offheap.Release(f.slots) }
