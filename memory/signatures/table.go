package signatures

import (
	"github.com/mithril-stream/mithril-stream/internal/offheap"
	"github.com/mithril-stream/mithril-stream/memory"
)

const (
	wordBytes = 8
	firstSize = 1 << 10 // places of a table at first
	growth    = 1.5     // how much larger one becomes
	maxLoad   = .85     // and from which load on
	slack     = 1 << 9  // places after the last home, so that no search has to go round

	// mostPostings bounds what a key leads to: the first half are the earliest entries that have
	// the key, the others the latest.
	mostPostings = 128
)

// A table leads from 32 bits of a key to the entries that have it. It is an ordered hash table
// (Amble, Knuth 1974): words stand in the order of their keys, each at its home or after it, so
// that a search ends at the first larger key, all entries of a key stand together, and the table
// grows by one pass from one end to the other.
type table struct {
	words []uint64 // key·2³² + entry + 1; 0 is empty. The last one always is
	homes uint64   // places at which a search begins: key·homes/2³²
	used  int
}

func newTable() (table, error) {
	words, err := memory.Allocate(firstSize + slack)
	return table{words: words, homes: firstSize}, err
}

// touch reads the place at which a search for the key begins. Reading those of all bands first lets
// the processor wait for all of them at once.
func (t *table) touch(key uint32) uint64 { return t.words[uint64(key)*t.homes>>32] }

// find returns where the words of a key begin and end. They end where they begin if there are none.
func (t *table) find(key uint32) (from, to int) {
	at := int(uint64(key) * t.homes >> 32)
	least := uint64(key) << 32
	for t.words[at] != 0 && t.words[at] < least {
		at++
	}
	from = at
	for t.words[at] != 0 && uint32(t.words[at]>>32) == key {
		at++
	}
	return from, at
}

// entryOf is the entry that a word leads to.
func entryOf(word uint64) uint32 { return uint32(word) - 1 }

// insert adds an entry, which is larger than all before. If the key has as many as there may be,
// the earliest of the later half gives its place and is forgotten.
func (t *table) insert(key uint32, entry uint32) (forgotten bool, err error) {
	if float64(t.used) >= maxLoad*float64(t.homes) {
		if err := t.grow(); err != nil {
			return false, err
		}
	}
	word := uint64(key)<<32 | uint64(entry+1)
	from, to := t.find(key)
	if to-from == mostPostings {
		middle := from + mostPostings/2
		copy(t.words[middle:to-1], t.words[middle+1:to])
		t.words[to-1] = word
		return true, nil
	}
	empty := to
	for t.words[empty] != 0 {
		empty++
	}
	if empty == len(t.words)-1 {
		if err := t.grow(); err != nil { // the slack is full, the words spread out
			return false, err
		}
		return t.insert(key, entry)
	}
	copy(t.words[to+1:empty+1], t.words[to:empty])
	t.words[to] = word
	t.used++
	return false, nil
}

// grow puts all words into a larger table.
func (t *table) grow() error {
	homes := uint64(float64(t.homes) * growth)
	words, err := memory.Allocate(homes + slack)
	if err != nil {
		return err
	}
	next := uint64(0)
	for _, word := range t.words {
		if word == 0 {
			continue
		}
		next = max(next, word>>32*homes>>32)
		words[next] = word
		next++
	}
	err = offheap.Release(t.words)
	t.words, t.homes = words, homes
	return err
}

func (t *table) bytes() uint64 { return wordBytes * uint64(len(t.words)) }
