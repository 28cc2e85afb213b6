// Package postings maps keys to the entries of a memory that have them.
package postings

import (
	"math"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

const (
	wordBytes = 8
	firstSize = 1 << 10 // initial places of a table

	// Slack is the number of places after the last home, so that no search has to wrap around.
	Slack = 1 << 9

	atOnce        = 8   // places that a search compares at once
	clearedAtOnce = 256 // places cleared at once while a table grows
)

// A Shape determines how a table grows: at the load MaxLoad, below 1, it becomes Growth times
// larger, above 1. Fuller tables take less memory and more time. If Whole is set, tables of several
// huge pages grow without a copy, to other sizes.
type Shape struct {
	Growth, MaxLoad float64
	Whole           bool
}

// Quick is the shape for few keys of each record, Dense that for many.
var (
	Quick = Shape{Growth: 1.5, MaxLoad: .85, Whole: true}
	Dense = Shape{Growth: 1.25, MaxLoad: .94}
)

// BytesOf returns the maximum bytes of a posting in a table of a million or more that has just
// grown.
func (s Shape) BytesOf() float64 { return wordBytes * s.Growth / s.MaxLoad }

// MeanOf returns the mean bytes of a posting in tables that grow one after the other (NewAmong),
// each larger than needed by a factor from 1 to Growth, evenly distributed on a logarithmic scale.
func (s Shape) MeanOf() float64 { return wordBytes / s.MaxLoad * (s.Growth - 1) / math.Log(s.Growth) }

// PeakOf is BytesOf while the table grows.
func (s Shape) PeakOf() float64 { return s.BytesOf() + wordBytes/s.MaxLoad }

// A Table maps 32 bits of a key to the entries that have it. It is an ordered hash table (Amble,
// Knuth: Ordered hash tables, The Computer Journal 1974): words are sorted by key, each at its home
// or after it. So a search ends at the first larger key, all entries of a key are adjacent, and the
// table grows in one sequential pass. Only one goroutine may use it at a time.
type Table struct {
	words  []uint64 // key·2³² + entry + 1; 0 means empty, as the last atOnce always are
	homes  uint64   // places at which a search may begin: key·homes/2³²
	used   int
	growAt int // how many are used before the table grows
	shape  Shape
	last   search // the latest one, until the next insertion
}

// A search is the range of places with the words of a key.
type search struct {
	key      uint32
	isDone   bool
	from, to int
}

// New returns an empty table, outside the Go heap.
func New(shape Shape) (Table, error) { return NewAmong(shape, 0, 1) }

// NewAmong is New for number i of several tables among which postings are spread. They grow one
// after the other, so that their total never exceeds the mean by much.
func NewAmong(shape Shape, i, tables int) (Table, error) {
	homes := firstSize * math.Pow(shape.Growth, float64(i)/float64(tables))
	words, err := offheap.Allocate(uint64(homes) + Slack)
	t := Table{shape: shape}
	if err == nil {
		t.place(words)
	}
	return t, err
}

// place sets the places of the table.
func (t *Table) place(words []uint64) {
	t.words, t.homes = words, uint64(len(words))-Slack
	t.growAt = int(math.Ceil(t.shape.MaxLoad * float64(t.homes)))
}

// Release frees the memory. The table must not be used afterwards.
func (t *Table) Release() (err error) {
	if t.words != nil {
		err = offheap.Release(t.words)
	}
	*t = Table{}
	return err
}

// Len returns the number of postings.
func (t *Table) Len() int { return t.used }

// Bytes returns the memory in use.
func (t *Table) Bytes() uint64 { return wordBytes * uint64(len(t.words)) }

// With returns upper bounds on the memory of the table with that many more postings, and on the
// additional memory while it grows for them; 0 if it does not have to.
func (t *Table) With(more int) (after, beside uint64) {
	end := t.words[max(0, len(t.words)-1-atOnce-more):]
	isSpread := slices.IndexFunc(end, func(word uint64) bool { return word != 0 }) < 0
	if isSpread && t.used+more <= t.growAt {
		return t.Bytes(), 0
	}
	return wordBytes * t.larger(), t.Bytes()
}

// EachRun calls do with all words, in order, some at a time. do must not keep the slice.
func (t *Table) EachRun(do func(words []uint64)) {
	for words := t.words; len(words) > 0; {
		n := 0
		for n < len(words) && words[n] != 0 {
			n++
		}
		if n > 0 {
			do(words[:n])
		}
		words = words[min(n+1, len(words)):]
	}
}

// Touch reads the place at which a search for the key begins. Touching all keys of a record first
// lets the processor wait for all of them at once.
func (t *Table) Touch(key uint32) uint64 { return t.words[uint64(key)*t.homes>>32] }

// Prefetch prefetches what a search for the key nearly always reads. Unlike Touch it does not wait.
func (t *Table) Prefetch(key uint32) { prefetch(&t.words[uint64(key)*t.homes>>32]) }

// Of returns the words of a key, in ascending order of entries. The slice is valid until the next
// Insert.
func (t *Table) Of(key uint32) []uint64 {
	from, to := t.find(key)
	t.last = search{key, true, from, to}
	return t.words[from:to]
}

// find returns the range of the words of a key, which may be empty. Where a search ends is
// unpredictable, so it counts the smaller words among eight places without a branch: words after an
// empty place are never smaller, since they have later homes.
func (t *Table) find(key uint32) (from, to int) {
	from = int(uint64(key) * t.homes >> 32)
	// subtract 1 here as from a word, so that 0 becomes the largest value
	least := max(uint64(key)<<32, 1) - 1
	for {
		w := (*[atOnce]uint64)(t.words[from:])
		smaller := below(w[0], least) + below(w[1], least) + below(w[2], least) + below(w[3], least) +
			below(w[4], least) + below(w[5], least) + below(w[6], least) + below(w[7], least)
		from += int(smaller)
		if smaller < atOnce {
			break
		}
	}
	to = from
	for uint32(t.words[to]>>32) == key && t.words[to] != 0 {
		to++
	}
	return from, to
}

// below returns 1 if word-1 is below least, else 0.
func below(word, least uint64) uint64 {
	_, isBelow := bits.Sub64(word-1, least, 0)
	return isBelow
}

// EntryOf returns the entry in a word.
func EntryOf(word uint64) uint32 { return uint32(word) - 1 }

// Insert adds an entry of a key, which must be larger than those the key has.
func (t *Table) Insert(key, entry uint32) error {
	isFull := t.used >= t.growAt
	// or the slack is full, because words spread out
	for ; isFull || t.words[len(t.words)-1-atOnce] != 0; isFull = false {
		t.last.isDone = false
		if err := t.grow(); err != nil {
			return err
		}
	}
	word := wordOf(key, entry)
	_, to := t.found(key)
	for ; word != 0; to++ { // the words from there to the next empty place move by one
		word, t.words[to] = t.words[to], word
	}
	t.used++
	return nil
}

// Replace inserts an entry in place of entry number i of the key, which is forgotten.
func (t *Table) Replace(key uint32, i int, entry uint32) {
	from, to := t.found(key)
	copy(t.words[from+i:to-1], t.words[from+i+1:to])
	t.words[to-1] = wordOf(key, entry)
}

// found returns the range of the words of a key before a change.
func (t *Table) found(key uint32) (from, to int) {
	from, to = t.last.from, t.last.to
	if !t.last.isDone || t.last.key != key {
		from, to = t.find(key)
	}
	t.last.isDone = false
	return from, to
}

func wordOf(key, entry uint32) uint64 { return uint64(key)<<32 | uint64(entry+1) }

// grow moves all words to a larger table. They first go to its end, without gaps, and from there in
// order to their places: no place is overwritten before it is read.
func (t *Table) grow() error {
	had := len(t.words)
	words, err := offheap.Grow(t.words, t.larger())
	if err != nil {
		return err
	}
	first := len(words)
	for i := had - 1; i >= 0; i-- {
		word := words[i]
		words[first-1] = word
		_, isEmpty := bits.Sub64(word, 1, 0)
		first -= 1 - int(isEmpty)
	}
	t.place(words)
	next, cleared := 0, 0 // all places before cleared are written or empty
	for i, word := range words[first:] {
		next = max(next, int(word>>32*t.homes>>32))
		if next >= cleared {
			to := min(next+clearedAtOnce, first+i+1)
			clear(words[cleared:to])
			cleared = to
		}
		words[next] = word
		next++
	}
	clear(words[cleared:])
	return nil
}

// larger returns the number of places after growing.
func (t *Table) larger() uint64 {
	places, has := uint64(float64(t.homes)*t.shape.Growth)+Slack, uint64(len(t.words))
	if !t.shape.Whole {
		return places
	}
	if more := offheap.RoundToPages(places); more > has {
		return more
	}
	// an increase by half falls short only by the slack
	if one := offheap.RoundToPages(places + Slack); one > has {
		return one
	}
	return places
}
