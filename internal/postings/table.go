// Package postings leads from keys to the entries of a memory that have them.
package postings

import (
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

const (
	wordBytes = 8
	firstSize = 1 << 10 // places of a table at first

	// Slack is how many places there are after the last home, so that no search has to go round.
	Slack = 1 << 9
)

// A Shape is how full a table becomes, MaxLoad, below 1, and how many times larger it then is made,
// Growth, above 1. Fuller tables take less memory and more time.
type Shape struct{ Growth, MaxLoad float64 }

// Quick is the shape for few keys of each record, Dense that for many.
var (
	Quick = Shape{Growth: 1.5, MaxLoad: .85}
	Dense = Shape{Growth: 1.25, MaxLoad: .94}
)

// BytesOf is what a posting takes at most, in a table of a million or more that has just grown.
func (s Shape) BytesOf() float64 { return wordBytes * s.Growth / s.MaxLoad }

// MeanOf is what a posting takes in tables that grow one after the other (NewAmong), each of which
// has grown by a factor from 1 to Growth more than it needs, on a logarithmic scale.
func (s Shape) MeanOf() float64 { return wordBytes / s.MaxLoad * (s.Growth - 1) / math.Log(s.Growth) }

// PeakOf is BytesOf while the table grows.
func (s Shape) PeakOf() float64 { return s.BytesOf() + wordBytes/s.MaxLoad }

// A Table leads from 32 bits of a key to the entries that have it. It is an ordered hash table
// (Amble, Knuth: Ordered hash tables, The Computer Journal 1974): words stand in the order of their
// keys, each at its home or after it, so that a search ends at the first larger key, all entries of
// a key stand together, and the table grows by one pass from one end to the other. It is for one
// goroutine at a time.
type Table struct {
	words []uint64 // key·2³² + entry + 1; 0 is empty. The last one always is
	homes uint64   // places at which a search begins: key·homes/2³²
	used  int
	shape Shape
}

// New returns an empty table, outside the Go heap.
func New(shape Shape) (Table, error) { return NewAmong(shape, 0, 1) }

// NewAmong is New for number i of some tables among which postings are spread. They grow one after
// the other, so that together they never take much more than in the mean.
func NewAmong(shape Shape, i, tables int) (Table, error) {
	homes := uint64(firstSize * math.Pow(shape.Growth, float64(i)/float64(tables)))
	words, err := offheap.Allocate(homes + Slack)
	return Table{words: words, homes: homes, shape: shape}, err
}

// Release gives the memory back. The table cannot be used after it.
func (t *Table) Release() (err error) {
	if t.words != nil {
		err = offheap.Release(t.words)
	}
	*t = Table{}
	return err
}

// Len is how many postings there are.
func (t *Table) Len() int { return t.used }

// Bytes is what the table takes.
func (t *Table) Bytes() uint64 { return wordBytes * uint64(len(t.words)) }

// With is what the table takes after so many more postings, and what it takes beside that while it
// grows for them; 0 if it does not. Both are bounds.
func (t *Table) With(more int) (after, beside uint64) {
	end := t.words[max(0, len(t.words)-2-more):]
	isSpread := slices.IndexFunc(end, func(word uint64) bool { return word != 0 }) < 0
	if isSpread && float64(t.used+more) <= t.shape.MaxLoad*float64(t.homes) {
		return t.Bytes(), 0
	}
	return wordBytes * (uint64(float64(t.homes)*t.shape.Growth) + Slack), t.Bytes()
}

// Words are all places of the table in their order; those that are 0 are empty.
func (t *Table) Words() []uint64 { return t.words }

// Touch reads the place at which a search for the key begins. Reading those of all keys of a record
// first lets the processor wait for all of them at once.
func (t *Table) Touch(key uint32) uint64 { return t.words[uint64(key)*t.homes>>32] }

// Of returns the words of a key, from the earliest entry on. They are good until the next Insert.
func (t *Table) Of(key uint32) []uint64 {
	from, to := t.find(key)
	return t.words[from:to]
}

// find returns where the words of a key begin and end. They end where they begin if there are none.
func (t *Table) find(key uint32) (from, to int) {
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

// EntryOf is the entry that a word leads to.
func EntryOf(word uint64) uint32 { return uint32(word) - 1 }

// Insert adds an entry, which is larger than all before. A key leads to at most so many entries, an
// even number: if it has as many, the first half stay, and the earliest of the others gives its
// place and is forgotten.
func (t *Table) Insert(key, entry uint32, most int) (forgotten bool, err error) {
	if float64(t.used) >= t.shape.MaxLoad*float64(t.homes) {
		if err := t.grow(); err != nil {
			return false, err
		}
	}
	word := uint64(key)<<32 | uint64(entry+1)
	from, to := t.find(key)
	if to-from == most {
		middle := from + most/2
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
		return t.Insert(key, entry, most)
	}
	copy(t.words[to+1:empty+1], t.words[to:empty])
	t.words[to] = word
	t.used++
	return false, nil
}

// grow puts all words into a larger table.
func (t *Table) grow() error {
	homes := uint64(float64(t.homes) * t.shape.Growth)
	words, err := offheap.Allocate(homes + Slack)
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
