package postings

import (
	"errors"
	"math"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// KeyBits is the number of bits of a key that a Compact distinguishes.
const KeyBits = 30

const (
	cellBytes = 5
	cellBits  = 8 * cellBytes
	cellMask  = 1<<cellBits - 1

	// mostFar is the maximum distance of a word from its home, in cells. A cell stores enough of
	// the key to distinguish the keys within that distance.
	mostFar = 1<<(cellBits-KeyBits-2) - 2

	firstEntryBits = 10 // entries of the first table
	mostOfKey      = 4  // words of a key in cells; more are kept in Compact.others
	homesPerBit    = 8  // homes that share a bit of Compact.beside
)

// Compacted and Spacious are shapes of a Compact.
var (
	Compacted = Shape{Growth: 1.14, MaxLoad: .92}
	Spacious  = Shape{Growth: 1.4, MaxLoad: .85}
)

// A Compact maps keys of KeyBits bits to the entries that have them, in five bytes for each where a
// Table takes eight. It is an ordered hash table like Table. A cell holds an entry, in as many bits
// as the largest one needs, and as many of the lower bits of its key as fit beside it. The position
// of the cell determines the rest of the key, since no word is more than mostFar cells from its
// home. The few words that do not fit, and those of keys with many entries, are in a separate
// Table. Only one goroutine may use it at a time.
type Compact struct {
	words  []uint64 // the cells, concatenated
	cells  []byte   // the same memory
	homes  uint64   // cells at which a search may begin: key·homes/2³⁰
	used   int
	growAt int // how many are used before the table grows
	shape  Shape

	first     uint32 // entries are stored relative to this one
	entryBits int    // of a cell; the rest holds key bits

	last struct { // the latest search, until the next insertion
		key      uint32
		isDone   bool
		from, to uint64
	}

	others Table
	beside []uint64 // a bit for each few homes: others may hold words of their keys
}

// NewCompact returns an empty table, number i of several that grow one after the other, for entries
// from first on.
func NewCompact(shape Shape, i, tables int, first uint32) (*Compact, error) {
	c := &Compact{shape: shape, first: first, entryBits: firstEntryBits}
	homes := math.Exp2(firstEntryBits) * math.Pow(shape.Growth, float64(i)/float64(tables))
	var err error
	if c.others, err = New(Quick); err != nil {
		return nil, err
	}
	if err = c.allocate(uint64(homes)); err != nil {
		return nil, errors.Join(err, c.others.Release())
	}
	return c, nil
}

// allocate replaces the cells with empty ones.
func (c *Compact) allocate(homes uint64) (err error) {
	cells := homes + mostFar + 1 + atOnce
	if c.words, err = offheap.Allocate((cells*cellBytes+2*wordBytes-1)/wordBytes + 1); err != nil {
		return err
	}
	c.cells = unsafe.Slice((*byte)(unsafe.Pointer(&c.words[0])), len(c.words)*wordBytes)
	c.homes, c.used, c.last.isDone = homes, 0, false
	c.growAt = int(c.shape.MaxLoad * float64(homes))
	c.beside = make([]uint64, homes/homesPerBit/64+1)
	return nil
}

// Release frees the memory. The table must not be used afterwards.
func (c *Compact) Release() error {
	if c == nil || c.words == nil {
		return nil
	}
	err := errors.Join(offheap.Release(c.words), c.others.Release())
	*c = Compact{}
	return err
}

// Len returns the number of postings.
func (c *Compact) Len() int { return c.used + c.others.Len() }

// Bytes returns the memory in use.
func (c *Compact) Bytes() uint64 {
	return wordBytes*uint64(len(c.words)+len(c.beside)) + c.others.Bytes()
}

// Touch reads the cell at which a search for the key begins.
func (c *Compact) Touch(key uint32) uint64 { return c.words[c.home(key)*cellBytes/wordBytes] }

// Prefetch prefetches what a search for the key nearly always reads.
func (c *Compact) Prefetch(key uint32) { prefetch(&c.words[c.home(key)*cellBytes/wordBytes]) }

func (c *Compact) home(key uint32) uint64 { return uint64(key) * c.homes >> KeyBits }

// at returns a cell: in the lower bits the entry plus one, above it the end of the key; 0 means
// empty. Cells are read as whole words, so the memory has an extra word.
func (c *Compact) at(cell uint64) uint64 { return *c.word8(cell) & cellMask }

// word8 returns the eight bytes that begin with a cell. find guarantees the bounds, because it ends
// at an empty cell, which always exists after the last home.
func (c *Compact) word8(cell uint64) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.words)), cell*cellBytes))
}

// put sets a cell that is not the last.
func (c *Compact) put(cell, word uint64) {
	w := c.word8(cell)
	*w = *w&^cellMask | word
}

// keyBits returns the number of key bits in a cell.
func (c *Compact) keyBits() int { return min(KeyBits, cellBits-c.entryBits) }

// find returns the range of cells of a key.
func (c *Compact) find(key uint32) (from, to uint64) {
	// After this shift the sign of a difference tells which of two near keys is larger.
	shift, bits := (64-c.keyBits())&63, c.entryBits&63
	own := uint64(key) << shift
	from = c.home(key)
	for w := c.at(from); w != 0 && int64(w>>bits<<shift-own) < 0; w = c.at(from) {
		from++
	}
	to = from
	for w := c.at(to); w != 0 && w>>bits<<shift == own; w = c.at(to) {
		to++
	}
	return from, to
}

// Append appends the entries of a key to dst.
func (c *Compact) Append(dst []uint32, key uint32) []uint32 {
	from, to := c.find(key)
	c.last.key, c.last.isDone, c.last.from, c.last.to = key, true, from, to
	for cell := from; cell < to; cell++ {
		dst = append(dst, c.entry(c.at(cell)))
	}
	if c.mayBeBeside(key) {
		for _, word := range c.others.Of(key) {
			dst = append(dst, EntryOf(word))
		}
	}
	return dst
}

func (c *Compact) mayBeBeside(key uint32) bool {
	bit := c.home(key) / homesPerBit
	return c.beside[bit/64]>>(bit%64)&1 == 1
}

// Insert adds an entry, which must be larger than all before. A key lists at most that many
// entries. When it has as many, the first half stay, and the earliest of the others is replaced and
// returned as forgotten.
func (c *Compact) Insert(key, entry uint32, most int) (forgotten uint32, hasForgotten bool, err error) {
	for c.used >= c.growAt || uint64(entry-c.first)+1 >= 1<<c.entryBits {
		if err := c.grow(entry); err != nil {
			return 0, false, err
		}
	}
	if c.insertCell(key, entry) {
		return 0, false, nil
	}
	from, to := c.find(key)
	inCells, others := int(to-from), c.others.Of(key)
	if i := most/2 - inCells; inCells+len(others) >= most {
		forgotten = EntryOf(others[i])
		c.others.Replace(key, i, entry)
		return forgotten, true, nil
	}
	return 0, false, c.insertBeside(key, entry)
}

func (c *Compact) insertBeside(key, entry uint32) error {
	bit := c.home(key) / homesPerBit
	c.beside[bit/64] |= 1 << (bit % 64)
	return c.others.Insert(key, entry)
}

// insertCell adds an entry if there is a cell for it: an empty one near enough to the home of its
// key, such that no word that has to move gets too far from its own home.
func (c *Compact) insertCell(key, entry uint32) bool {
	from, to := c.last.from, c.last.to
	if !c.last.isDone || c.last.key != key {
		from, to = c.find(key)
	}
	if to-from >= mostOfKey {
		return false
	}
	end, empty := c.home(key)+mostFar, to
	for empty < end && c.at(empty) != 0 {
		empty++
	}
	if empty >= end {
		return false
	}
	c.last.isDone = false
	copy(c.cells[(to+1)*cellBytes:(empty+1)*cellBytes], c.cells[to*cellBytes:empty*cellBytes])
	c.put(to, c.word(key, entry))
	c.used++
	return true
}

func (c *Compact) word(key, entry uint32) uint64 {
	return uint64(key)<<c.entryBits&cellMask | uint64(entry-c.first+1)
}

// entry returns the entry in a word.
func (c *Compact) entry(word uint64) uint32 { return uint32(word&(1<<c.entryBits-1)) - 1 + c.first }

// grow moves all words to a larger table, with space for an entry.
func (c *Compact) grow(entry uint32) error {
	old, homes := *c, c.homes
	for uint64(entry-c.first)+1 >= 1<<c.entryBits {
		c.entryBits++
	}
	if old.used >= old.growAt {
		homes = uint64(float64(homes) * c.shape.Growth)
	}
	// Enough homes that keys with equal ends are too far apart to be confused.
	homes = max(homes, 1<<(c.entryBits-1))
	var err error
	if c.others, err = New(Quick); err != nil {
		c.others, c.entryBits = old.others, old.entryBits
		return err
	}
	if err := c.allocate(homes); err != nil {
		err = errors.Join(err, c.others.Release())
		*c = old
		return err
	}
	err = c.moveFrom(&old)
	old.others.EachRun(func(words []uint64) {
		for _, word := range words {
			if key, entry := uint32(word>>32), EntryOf(word); !c.insertCell(key, entry) {
				err = errors.Join(err, c.insertBeside(key, entry))
			}
		}
	})
	return errors.Join(err, offheap.Release(old.words), old.others.Release())
}

// moveFrom moves the words of a smaller table into empty cells, in the order of keys.
func (c *Compact) moveFrom(old *Compact) (err error) {
	from, to := unsafe.Pointer(unsafe.SliceData(old.words)), unsafe.Pointer(unsafe.SliceData(c.words))
	keys, homes, next, used := old.keysByCell(), c.homes, uint64(0), 0
	oldBits, newBits, entries := old.entryBits&63, c.entryBits&63, uint64(1)<<old.entryBits-1
	for cell := uint64(0); cell < old.homes+mostFar; cell++ {
		if w := *(*uint64)(unsafe.Add(from, cell*cellBytes)) & cellMask; w != 0 {
			key := keys.key(w >> oldBits)
			home := key * homes >> KeyBits
			if next = max(next, home); next-home >= mostFar {
				err = errors.Join(err, c.insertBeside(uint32(key), old.entry(w)))
			} else {
				// Nothing follows it yet.
				*(*uint64)(unsafe.Add(to, next*cellBytes)) = key<<newBits&cellMask | w&entries
				next++
				used++
			}
		}
		keys.next()
	}
	c.used += used
	return err
}

// cellKeys reconstructs keys, from one cell to the next. The largest key whose home is a cell is
// ((cell+1)·2³⁰-1)/homes, computed incrementally as quotient and remainder.
type cellKeys struct {
	largest, over, step, rest, homes, mask uint64
}

func (c *Compact) keysByCell() cellKeys {
	const all = uint64(1) << KeyBits
	return cellKeys{
		largest: (all - 1) / c.homes, over: (all - 1) % c.homes, step: all / c.homes, rest: all % c.homes,
		homes: c.homes, mask: 1<<c.keyBits() - 1,
	}
}

// key returns the whole key, given the end stored in a cell.
func (k *cellKeys) key(end uint64) uint64 { return k.largest - (k.largest-end)&k.mask }

func (k *cellKeys) next() {
	k.largest, k.over = k.largest+k.step, k.over+k.rest
	if k.over >= k.homes {
		k.largest, k.over = k.largest+1, k.over-k.homes
	}
}

// eachCell calls do for all cells, in the order of keys.
func (c *Compact) eachCell(do func(key, entry uint32)) {
	keys := c.keysByCell()
	for cell := uint64(0); cell < c.homes+mostFar; cell++ {
		if w := c.at(cell); w != 0 {
			do(uint32(keys.key(w>>c.entryBits)), c.entry(w))
		}
		keys.next()
	}
}

// Each calls do with all postings, some at a time, in the order of keys, as words of a Table. do
// must not keep the slice.
func (c *Compact) Each(do func(words []uint64)) {
	var others []uint64
	c.others.EachRun(func(words []uint64) { others = append(others, words...) })
	run := make([]uint64, 0, 1<<12)
	take := func(word uint64) {
		if run = append(run, word); len(run) == cap(run) {
			do(run)
			run = run[:0]
		}
	}
	c.eachCell(func(key, entry uint32) {
		word := wordOf(key, entry)
		for len(others) > 0 && others[0] < word {
			take(others[0])
			others = others[1:]
		}
		take(word)
	})
	for _, word := range others {
		take(word)
	}
	if len(run) > 0 {
		do(run)
	}
}

// CompactBytes returns the maximum bytes of a posting in a Compact of some 400,000 or more that has
// just grown.
func (s Shape) CompactBytes() float64 { return besides * cellBytes * s.Growth / s.MaxLoad }

// CompactMean returns the mean bytes of a posting in several Compacts that grow one after the
// other.
func (s Shape) CompactMean() float64 {
	return besides * cellBytes / s.MaxLoad * (s.Growth - 1) / math.Log(s.Growth)
}

// besides is the ratio of a table's memory to that of its cells, because of the words outside.
const besides = 1.006
