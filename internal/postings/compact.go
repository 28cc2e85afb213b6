package postings

import (
	"errors"
	"math"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// KeyBits is how much of a key a Compact tells from others.
const KeyBits = 30

const (
	cellBytes = 5
	cellBits  = 8 * cellBytes
	cellMask  = 1<<cellBits - 1

	// mostFar is how many cells behind its home a word may stand. A cell has enough of the key to
	// tell those apart that can stand there.
	mostFar = 1<<(cellBits-KeyBits-2) - 2

	firstEntryBits = 10 // entries of the first table
	mostOfKey      = 4  // words of a key in cells; further ones are beside them
	homesPerBit    = 8  // homes that share a bit of Compact.beside
)

// Compacted is how full a Compact becomes, and how much larger it then is made.
var Compacted = Shape{Growth: 1.14, MaxLoad: .92}

// A Compact leads from keys of KeyBits bits to the entries that have them, in five bytes for each
// where a Table takes eight. It is an ordered hash table like that one. A cell has an entry, in as
// many bits as the largest one needs, and as many of the lower bits of its key as have room beside
// it: where the cell stands says the others, since no word stands more than mostFar cells behind
// its home. The few words for which there is no such place, and those of keys that many entries
// have, are in a Table beside the cells. It is for one goroutine at a time.
type Compact struct {
	words []uint64 // the cells, one behind the other
	cells []byte   // the same
	homes uint64   // cells at which a search begins: key·homes/2³⁰
	used  int
	room  int // how many are used before the table grows

	first     uint32 // entry, from which others are counted
	entryBits int    // of a cell; the others are of the key

	last struct { // the latest search, until something is inserted
		key      uint32
		isDone   bool
		from, to uint64
	}

	others Table
	beside []uint64 // a bit for some homes, of whose keys others may have words
}

// NewCompact returns an empty table, number i of some that grow one after the other, for entries
// from the first on.
func NewCompact(i, tables int, first uint32) (*Compact, error) {
	c := &Compact{first: first, entryBits: firstEntryBits}
	homes := math.Exp2(firstEntryBits) * math.Pow(Compacted.Growth, float64(i)/float64(tables))
	var err error
	if c.others, err = New(Quick); err != nil {
		return nil, err
	}
	if err = c.allocate(uint64(homes)); err != nil {
		return nil, errors.Join(err, c.others.Release())
	}
	return c, nil
}

// allocate gives the table cells without words.
func (c *Compact) allocate(homes uint64) (err error) {
	cells := homes + mostFar + 1 + atOnce
	if c.words, err = offheap.Allocate((cells*cellBytes+2*wordBytes-1)/wordBytes + 1); err != nil {
		return err
	}
	c.cells = unsafe.Slice((*byte)(unsafe.Pointer(&c.words[0])), len(c.words)*wordBytes)
	c.homes, c.used, c.last.isDone = homes, 0, false
	c.room = int(Compacted.MaxLoad * float64(homes))
	c.beside = make([]uint64, homes/homesPerBit/64+1)
	return nil
}

// Release gives the memory back. The table cannot be used after it.
func (c *Compact) Release() error {
	if c == nil || c.words == nil {
		return nil
	}
	err := errors.Join(offheap.Release(c.words), c.others.Release())
	*c = Compact{}
	return err
}

// Len is how many postings there are.
func (c *Compact) Len() int { return c.used + c.others.Len() }

// Bytes is what the table takes.
func (c *Compact) Bytes() uint64 {
	return wordBytes*uint64(len(c.words)+len(c.beside)) + c.others.Bytes()
}

// Touch reads the cell at which a search for the key begins.
func (c *Compact) Touch(key uint32) uint64 { return c.words[c.home(key)*cellBytes/wordBytes] }

// Foresee has what a search for the key reads, nearly always, brought to the cache.
func (c *Compact) Foresee(key uint32) { prefetch(&c.words[c.home(key)*cellBytes/wordBytes]) }

func (c *Compact) home(key uint32) uint64 { return uint64(key) * c.homes >> KeyBits }

// at is a cell: the entry and one in the lower bits, the end of the key above; 0 is empty. Cells
// are read as words, of which there is one more than cells need.
func (c *Compact) at(cell uint64) uint64 { return *c.word8(cell) & cellMask }

// word8 is the eight bytes from a cell on. Their bounds are those of find, which ends at an empty
// cell: some always are behind the last home.
func (c *Compact) word8(cell uint64) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.words)), cell*cellBytes))
}

// put sets a cell behind which others are.
func (c *Compact) put(cell, word uint64) {
	w := c.word8(cell)
	*w = *w&^cellMask | word
}

// keyBits is how many bits of a key a cell has.
func (c *Compact) keyBits() int { return min(KeyBits, cellBits-c.entryBits) }

// find returns the cells of a key, from one to another.
func (c *Compact) find(key uint32) (from, to uint64) {
	// Shifted like this, the sign of a difference says which of two near keys is the larger.
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

// Insert adds an entry, which is larger than all before. A key leads to at most so many entries: if
// it has as many, the first half stay, and the earliest of the others, which is returned, gives its
// place and is forgotten.
func (c *Compact) Insert(key, entry uint32, most int) (forgotten uint32, hasForgotten bool, err error) {
	for c.used >= c.room || uint64(entry-c.first)+1 >= 1<<c.entryBits {
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

// insertCell adds an entry if there is a cell for it: an empty one so near to the home of its key
// that no word which moves towards it gets too far from its own.
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

// entry is that of a word.
func (c *Compact) entry(word uint64) uint32 { return uint32(word&(1<<c.entryBits-1)) - 1 + c.first }

// grow puts all words into a larger table, with room for an entry.
func (c *Compact) grow(entry uint32) error {
	old, homes := *c, c.homes
	for uint64(entry-c.first)+1 >= 1<<c.entryBits {
		c.entryBits++
	}
	if old.used >= old.room {
		homes = uint64(float64(homes) * Compacted.Growth)
	}
	// So many homes that keys whose ends are the same are too far from each other.
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
	err = c.take(&old)
	old.others.EachRun(func(words []uint64) {
		for _, word := range words {
			if key, entry := uint32(word>>32), EntryOf(word); !c.insertCell(key, entry) {
				err = errors.Join(err, c.insertBeside(key, entry))
			}
		}
	})
	return errors.Join(err, offheap.Release(old.words), old.others.Release())
}

// take puts what the cells of a smaller table have into empty ones, in the order of keys.
func (c *Compact) take(old *Compact) (err error) {
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
				// Nothing is behind it yet.
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

// cellKeys makes keys whole again, from one cell to the next. The largest key whose home is a cell
// is ((cell+1)·2³⁰-1)/homes, step by step in whole numbers: so much, and the rest.
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

// key is the whole key of which a cell has the end.
func (k *cellKeys) key(end uint64) uint64 { return k.largest - (k.largest-end)&k.mask }

func (k *cellKeys) next() {
	k.largest, k.over = k.largest+k.step, k.over+k.rest
	if k.over >= k.homes {
		k.largest, k.over = k.largest+1, k.over-k.homes
	}
}

// eachCell hands over what the cells have, in the order of keys.
func (c *Compact) eachCell(do func(key, entry uint32)) {
	keys := c.keysByCell()
	for cell := uint64(0); cell < c.homes+mostFar; cell++ {
		if w := c.at(cell); w != 0 {
			do(uint32(keys.key(w>>c.entryBits)), c.entry(w))
		}
		keys.next()
	}
}

// Each hands over all postings in the order of keys, as words of a Table, some at a time. It does
// not keep them.
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

// CompactBytes is what a posting takes at most in a Compact of some 400,000 or more that has just
// grown, and CompactMean in the mean of several that grow one after the other.
func CompactBytes() float64 { return besides * cellBytes * Compacted.Growth / Compacted.MaxLoad }

// CompactMean is that in the mean.
func CompactMean() float64 {
	return besides * cellBytes / Compacted.MaxLoad * (Compacted.Growth - 1) / math.Log(Compacted.Growth)
}

// besides is how much more than its cells a table takes, for words beside them.
const besides = 1.006
