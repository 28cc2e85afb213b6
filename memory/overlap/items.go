package overlap

import "fmt"

// Items are texts that are looked for in others, such as the questions of an evaluation set. Two
// passages are the same if their words are, whatever stands between words: case, punctuation and
// line breaks do not count. A passage is n words of an item, or all of an item that has fewer; one
// of its words may be another one.
//
// It does not change when it is made, and is safe for concurrent use.
type Items struct {
	ngram    int
	list     []Item
	passages []passage // different ones
	shared   shared
	tables   []*anchorTable // one for each length of anchors

	// What is asked for where many passages share an anchor.
	shapes   []shapeRanges
	forms    *keyIndex
	families []family
	members  []uint32 // passages
	powers   []uint64 // of keyFactor

	audiences  [][]uint32        // items, in rising order
	audienceOf map[uint32]uint32 // of forms that stand in many places

	pairs map[uint64]bool // of neighbouring words of items, if each word is a passage
}

// An Item is one of the texts that are looked for.
type Item struct {
	Text    []byte
	words   []uint64 // hashes
	ends    []uint32 // where each ends in Text
	starts  []uint32
	window  int // words of a passage
	changes int // of its words that may be others: 0 or 1

	passages []uint32 // the number of each
}

// Passages is how many passages the item has: its n-grams, or one.
func (i *Item) Passages() int { return len(i.words) - i.window + 1 }

// Words returns the bytes of the item's words from … to-1.
func (i *Item) Words(from, to int) []byte { return i.Text[i.starts[from]:i.ends[to-1]] }

// isWhole reports whether the item is looked for as a whole.
func (i *Item) isWhole() bool { return i.window == len(i.words) }

// anchorOf is the length of an anchor: words in a row of which one is in any passage that is found,
// also if another word has changed.
func (i *Item) anchorOf() int {
	switch {
	case i.isWhole() && i.window < 2*longAnchor+1:
		return min(i.window, shortAnchor)
	case i.isWhole():
		return longAnchor
	case i.changes == 0:
		return i.window
	}
	return (i.window - 1) / 2
}

// The anchors of items that are looked for as a whole. All have one of two lengths, however long
// they are: a text is gone through once for each length.
const (
	shortAnchor = 3
	longAnchor  = 6
)

const (

	// A shorter passage has to be the same word for word: else too much would be found.
	leastChanged = 8
)

// maxItemWords bounds the length of an item, so that places in it can be written in few bits.
const maxItemWords = 1<<16 - 1

// NewItems makes Items of texts. ngram is the number of words of a passage; changes, 0 or 1, is how
// many of them may be others, which counts from 8 words on. An item without a word is never found.
func NewItems(texts [][]byte, ngram, changes int) (*Items, error) {
	switch {
	case ngram < 1 || ngram > maxNGram:
		return nil, fmt.Errorf("an n-gram of %d words is not between 1 and %d", ngram, maxNGram)
	case changes != 0 && changes != 1:
		return nil, fmt.Errorf("%d changed words are neither 0 nor 1", changes)
	}
	x := &Items{ngram: ngram, list: make([]Item, len(texts)), powers: []uint64{1}}
	for range ngram {
		x.powers = append(x.powers, keyFactor*x.powers[len(x.powers)-1])
	}
	t := newPlaced()
	for i, text := range texts {
		item := &x.list[i]
		item.Text = text
		for _, w := range t.append(nil, text) {
			item.words = append(item.words, w.hash)
			item.starts, item.ends = append(item.starts, w.start), append(item.ends, w.end)
		}
		if len(item.words) > maxItemWords {
			return nil, fmt.Errorf("item %d has %d words, which is more than %d: give its parts as items of their own",
				i+1, len(item.words), maxItemWords)
		}
		if item.window = min(ngram, len(item.words)); item.window >= leastChanged {
			item.changes = changes
		}
	}
	x.collect()
	x.anchor()
	x.gather()
	x.pair()
	return x, nil
}

// pair notes neighbouring words, where each word is a passage: found next to each other, they make
// one piece.
func (x *Items) pair() {
	if x.ngram > 1 {
		return
	}
	x.pairs = map[uint64]bool{}
	for i := range x.list {
		words := x.list[i].words
		for at := range max(0, len(words)-1) {
			x.pairs[keyOfWords(words[at:at+2])] = true
		}
	}
}

// Len is the number of items.
func (x *Items) Len() int { return len(x.list) }

// At is the i-th item.
func (x *Items) At(i int) *Item { return &x.list[i] }
