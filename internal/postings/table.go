// Package postings leads from keys to the entries of a memory that have them.
package postings

import (
	"math"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

const (
	wordBytes = 8
	firstSize = 1 << 10 // places of a table at first

	// Slack is how many places there are after the last home, so that no search has to go round.
	Slack = 1 << 9

	atOnce        = 8   // places that a search looks at together
	clearedAtOnce = 256 // places that are made empty together while a table grows
)

// A Shape is how full a table becomes, MaxLoad, below 1, and how many times larger it then is made,
// Growth, above 1. Fuller tables take less memory and more time. Tables of Whole huge pages, if
// they have several, grow without being copied, and have other sizes for it.
type Shape struct {
	Growth, MaxLoad float64
	Whole           bool
}

// Quick is the shape for few keys of each record, Dense that for many.
var (
	Quick = Shape{Growth: 1.5, MaxLoad: .85, Whole: true}
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
	words []uint64 // key·2³² + entry + 1; 0 is empty. The last atOnce always are
	homes uint64   // places at which a search begins: key·homes/2³²
	used  int
	room  int // how many are used before the table grows
	shape Shape
	last  search // the latest one, until something is inserted
}

// A search has found the words of a key in places from one to another.
type search struct {
	key      uint32
	isDone   bool
	from, to int
}

// New returns an empty table, outside the Go heap.
func New(shape Shape) (Table, error) { return NewAmong(shape, 0, 1) }

// NewAmong is New for number i of some tables among which postings are spread. They grow one after
// the other, so that together they never take much more than in the mean.
func NewAmong(shape Shape, i, tables int) (Table, error) {
	homes := firstSize * math.Pow(shape.Growth, float64(i)/float64(tables))
	words, err := offheap.Allocate(uint64(homes) + Slack)
	t := Table{shape: shape}
	if err == nil {
		t.stand(words)
	}
	return t, err
}

// stand gives the table its places.
func (t *Table) stand(words []uint64) {
	t.words, t.homes = words, uint64(len(words))-Slack
	t.room = int(math.Ceil(t.shape.MaxLoad * float64(t.homes)))
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
	end := t.words[max(0, len(t.words)-1-atOnce-more):]
	isSpread := slices.IndexFunc(end, func(word uint64) bool { return word != 0 }) < 0
	if isSpread && t.used+more <= t.room {
		return t.Bytes(), 0
	}
	return wordBytes * t.larger(), t.Bytes()
}

// EachRun calls do with all words in their order, some at a time. It does not keep them.
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

// Touch reads the place at which a search for the key begins. Reading those of all keys of a record
// first lets the processor wait for all of them at once.
func (t *Table) Touch(key uint32) uint64 { return t.words[uint64(key)*t.homes>>32] }

// Foresee has what a search for the key reads, nearly always, brought to the cache. It does not
// wait for it, as Touch does.
func (t *Table) Foresee(key uint32) { prefetch(&t.words[uint64(key)*t.homes>>32]) }

// Of returns the words of a key, from the earliest entry on. They are good until the next Insert.
func (t *Table) Of(key uint32) []uint64 {
	from, to := t.find(key)
	t.last = search{key, true, from, to}
	return t.words[from:to]
}

// find returns where the words of a key begin and end. They end where they begin if there are none.
// A search ends at no place that can be foretold. So it counts the smaller words of eight places
// without a branch: those behind an empty place are never smaller, since they have later homes.
func (t *Table) find(key uint32) (from, to int) {
	from = int(uint64(key) * t.homes >> 32)
	least := max(uint64(key)<<32, 1) - 1 // 1 less, as is a word: so that 0 is the largest
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

// below is 1 if a word less 1 is below least, or else 0.
func below(word, least uint64) uint64 {
	_, isBelow := bits.Sub64(word-1, least, 0)
	return isBelow
}

// EntryOf is the entry that a word leads to.
func EntryOf(word uint64) uint32 { return uint32(word) - 1 }

// Insert adds an entry of a key, which is larger than all that the key has.
func (t *Table) Insert(key, entry uint32) error {
	isFull := t.used >= t.room
	for ; isFull || t.words[len(t.words)-1-atOnce] != 0; isFull = false { // or the slack is: words spread out
		t.last.isDone = false
		if err := t.grow(); err != nil {
			return err
		}
	}
	word := wordOf(key, entry)
	_, to := t.found(key)
	for ; word != 0; to++ { // the words from there on, up to an empty place, move by one
		word, t.words[to] = t.words[to], word
	}
	t.used++
	return nil
}

// Replace is Insert in the place of number i of the entries that the key has, which is forgotten.
func (t *Table) Replace(key uint32, i int, entry uint32) {
	from, to := t.found(key)
	copy(t.words[from+i:to-1], t.words[from+i+1:to])
	t.words[to-1] = wordOf(key, entry)
}

// found is where the words of a key begin and end, before they change.
func (t *Table) found(key uint32) (from, to int) {
	from, to = t.last.from, t.last.to
	if !t.last.isDone || t.last.key != key {
		from, to = t.find(key)
	}
	t.last.isDone = false
	return from, to
}

func wordOf(key, entry uint32) uint64 { return uint64(key)<<32 | uint64(entry+1) }

// grow puts all words into a larger table. They go to its end, without empty places, and from there
// in their order to where they stand: no word gets there before its place is read.
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
	t.stand(words)
	next, cleared := 0, 0 // all places before cleared are written, or empty
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

// larger is how many places the table has when it has grown.
func (t *Table) larger() uint64 {
	places, has := uint64(float64(t.homes)*t.shape.Growth)+Slack, uint64(len(t.words))
	if !t.shape.Whole {
		return places
	}
	if more := offheap.Whole(places); more > has {
		return more
	}
	if one := offheap.Whole(places + Slack); one > has { // more by half is less only by the slack
		return one
	}
	return places
}
