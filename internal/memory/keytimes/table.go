package keytimes

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A table maps keys to records and times. It has parts, by the highest bits of a hash, so that it
// grows in small steps.
type table struct {
	parts [parts]part
	seed  [2]uint64 // secret, so that nobody can choose keys that collide
	base  int64     // time of the first entry; those of the others are differences from it
	count int
}

const (
	partBits = 3
	parts    = 1 << partBits

	slotWords   = 3 // the key, and the record in the high half of the third word
	groupSlots  = 8
	leastGroups = 2 // of a part that is not empty

	// offHeap is the number of words from which on a slice is allocated outside the Go heap.
	offHeap = 1 << 13
)

// A part is a hash table of groups of slots. Each group has a word of tags, with a byte for each
// slot: bits of the hash of its key, or 0 if the slot is free. A key is in the group that its hash
// selects, or, if that was full, in the next one.
type part struct {
	tags  []uint64
	slots []uint64
	count int
}

func newTable() *table { return &table{seed: [2]uint64{rand.Uint64(), rand.Uint64()}} }

// A place is where a key is, or belongs. It is valid until the table changes.
type place struct {
	part *part
	slot int // index in the part; -1 if that has no slots
	tag  uint64
}

// hash spreads keys evenly, whatever their distribution.
func (t *table) hash(a, b uint64) uint64 {
	high, low := bits.Mul64(a^t.seed[0], b^t.seed[1])
	return (high ^ low ^ a) * 0x9e3779b97f4a7c15
}

// start returns the part of a hash, and the group in it where a search begins.
func (t *table) start(hash uint64) (p *part, group int) {
	p = &t.parts[hash>>(64-partBits)]
	at, _ := bits.Mul64(hash<<partBits, uint64(len(p.tags)))
	return p, int(at)
}

const lowBits, highBits = 0x0101010101010101, 0x8080808080808080

// zeros returns a word whose high bits mark the first byte that is zero, and maybe further bytes
// after it.
func zeros(word uint64) uint64 { return (word - lowBits) &^ word & highBits }

// find returns the place of a key, and whether it is there.
func (t *table) find(a, b uint64) (of place, found bool) {
	hash := t.hash(a, b)
	tag := hash>>8&0xff | 0x80
	p, group := t.start(hash)
	if len(p.tags) == 0 {
		return place{p, -1, tag}, false
	}
	for {
		word := p.tags[group]
		for same := zeros(word ^ tag*lowBits); same != 0; same &= same - 1 {
			slot := group*groupSlots + bits.TrailingZeros64(same)/8
			s := p.slots[slot*slotWords : slot*slotWords+2]
			if s[0] == a && s[1] == b {
				return place{p, slot, tag}, true
			}
		}
		if free := zeros(word); free != 0 {
			return place{p, group*groupSlots + bits.TrailingZeros64(free)/8, tag}, false
		}
		if group++; group == len(p.tags) {
			group = 0
		}
	}
}

// touch reads the words where the searches for some keys begin, to bring them into the cache.
func (t *table) touch(sketches []uint64) (words uint64) {
	for ; len(sketches) >= Words; sketches = sketches[Words:] {
		if p, group := t.start(t.hash(sketches[0], sketches[1])); group < len(p.tags) {
			words ^= p.tags[group]
		}
	}
	return words
}

// An entry is the value that the table stores for a key.
type entry struct {
	record uint32
	offset int32 // seconds from the base of the table, or forgotten
}

// forgotten is the offset of an entry that was deleted. It keeps its place, since renewals follow
// it in the log.
const forgotten = math.MinInt32

func (of place) entry() entry {
	w := of.part.slots[of.slot*slotWords+2]
	return entry{uint32(w >> 32), int32(uint32(w))}
}

func (of place) set(e entry) {
	of.part.slots[of.slot*slotWords+2] = uint64(e.record)<<32 | uint64(uint32(e.offset))
}

// put sets the entry of a key whose place is known.
func (t *table) put(of place, isThere bool, a, b uint64, e entry) error {
	if !isThere {
		if p := of.part; 8*(p.count+1) > 7*groupSlots*len(p.tags) {
			if err := t.grow(p); err != nil {
				return err
			}
			of, _ = t.find(a, b)
		}
		of.take(a, b)
		t.count++
	}
	of.set(e)
	return nil
}

// take assigns a free slot to a key.
func (of place) take(a, b uint64) {
	p := of.part
	p.tags[of.slot/groupSlots] |= of.tag << (of.slot % groupSlots * 8)
	p.slots[of.slot*slotWords], p.slots[of.slot*slotWords+1] = a, b
	p.count++
}

// grow makes a part a third larger.
func (t *table) grow(p *part) error {
	old := *p
	groups := max(leastGroups, (len(old.tags)*4+2)/3)
	tags, err := allocate(groups)
	if err != nil {
		return err
	}
	slots, err := allocate(groups * groupSlots * slotWords)
	if err != nil {
		return errors.Join(err, release(tags))
	}
	*p = part{tags: tags, slots: slots}
	for group, word := range old.tags {
		for i := range groupSlots {
			if word>>(8*i)&0xff == 0 {
				continue
			}
			s := old.slots[(group*groupSlots+i)*slotWords:]
			of, _ := t.find(s[0], s[1])
			of.take(s[0], s[1])
			p.slots[of.slot*slotWords+2] = s[2]
		}
	}
	return old.release()
}

func (p *part) release() error { return errors.Join(release(p.tags), release(p.slots)) }

func allocate(words int) ([]uint64, error) {
	if words < offHeap {
		return make([]uint64, words), nil
	}
	return offheap.Allocate(uint64(words))
}

func release(words []uint64) error {
	if len(words) < offHeap {
		return nil
	}
	return offheap.Release(words)
}

// bytes returns the memory of the table.
func (t *table) bytes() (n uint64) {
	for i := range t.parts {
		n += 8 * uint64(cap(t.parts[i].tags)+cap(t.parts[i].slots))
	}
	return n
}

// release frees the memory.
func (t *table) release() (err error) {
	for i := range t.parts {
		err = errors.Join(err, t.parts[i].release())
		t.parts[i] = part{}
	}
	return err
}

// peakBytes returns the maximum memory of a table while it grows to the given number of keys.
func peakBytes(keys uint64) uint64 {
	slots := keys * 8 / 7 * 4 / 3
	return (8*slotWords + 1) * (slots + slots/parts + 2*parts*leastGroups*groupSlots)
}
