package overlap

import "fmt"

// Items are texts that are looked for in others, such as the questions of an evaluation set. Two
// passages are the same if their words are, whatever stands between words: case, punctuation, line
// breaks, markup and escape sequences do not count. A passage is n words of an item, or all of an
// item that has fewer; one of its words may be another one.
//
// An item is found in a text if enough of it stands there, where a word counts the more the fewer
// items have it: so a prompt that all items begin with says nothing about any of them.
//
// It does not change when it is made, and is safe for concurrent use.
type Items struct {
	ngram    int
	minShare float64
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
	weights  []float32
	total    float64 // of the weights
	same     int     // the first item that has the same words, by which all of them are found
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
// many of them may be others, which counts from 8 words on; minShare is how much of an item has to
// stand in a text, above 0 and at most 1. An item without a word is never found.
func NewItems(texts [][]byte, ngram, changes int, minShare float64) (*Items, error) {
	switch {
	case ngram < 1 || ngram > maxNGram:
		return nil, fmt.Errorf("an n-gram of %d words is not between 1 and %d", ngram, maxNGram)
	case changes != 0 && changes != 1:
		return nil, fmt.Errorf("%d changed words are neither 0 nor 1", changes)
	case !(minShare > 0 && minShare <= 1):
		return nil, fmt.Errorf("a share of %v is not above 0 and at most 1", minShare)
	}
	x := &Items{ngram: ngram, minShare: minShare, list: make([]Item, len(texts)), powers: []uint64{1}}
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
	x.weigh()
	x.collect()
	x.anchor()
	x.thin()
	return x, nil
}

// Len is the number of items.
func (x *Items) Len() int { return len(x.list) }

// At is the i-th item.
func (x *Items) At(i int) *Item { return &x.list[i] }
