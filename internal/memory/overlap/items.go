package overlap

import "fmt"

// Items are texts to find in others, such as the questions of an evaluation set. Passages are equal
// if their words are: case, punctuation, line breaks, markup and escape sequences do not count. A
// passage is n words of an item, or all of an item with fewer; one of its words may differ.
//
// An item is found in a text that contains enough of it. A word counts the more the fewer items
// have it, so a prompt that all items begin with says nothing about any of them.
//
// Items are immutable, and safe for concurrent use.
type Items struct {
	ngram    int
	minShare float64
	list     []Item
	passages []passage // distinct ones
	shared   shared
	tables   []*anchorTable // one for each length of anchors

	// For anchors shared by many passages.
	shapes   []shapeRanges
	forms    *keyIndex
	families []family
	members  []uint32 // passages
	powers   []uint64 // of keyFactor
}

// An Item is one of the texts to find.
type Item struct {
	Text    []byte
	words   []uint64 // hashes
	ends    []uint32 // where each ends in Text
	starts  []uint32
	window  int // words in a passage
	changes int // number of its words that may differ: 0 or 1

	passages []uint32 // the number of each
	weights  []float32
	total    float64 // total weight
	same     int     // the first item with the same words and answer, which represents all of them

	answer      []uint64 // the hashes of its words
	needsAnswer bool
}

// Passages returns the number of passages of the item: its n-grams, or one.
func (i *Item) Passages() int { return len(i.words) - i.window + 1 }

// Words returns the bytes of words from to to-1 of the item.
func (i *Item) Words(from, to int) []byte { return i.Text[i.starts[from]:i.ends[to-1]] }

// isWhole reports whether the item is searched as a whole.
func (i *Item) isWhole() bool { return i.window == len(i.words) }

// anchorOf returns the length of an anchor: adjacent words that every matching passage contains at
// least once, even if another word differs.
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

// The anchors of items searched as a whole have one of two lengths, however long the items are,
// since a text is scanned once for each length.
const (
	shortAnchor = 3
	longAnchor  = 6
)

// leastChanged is the minimum number of words of a passage in which a word may differ. Shorter ones
// must match word for word, or too much would be found.
const leastChanged = 8

// maxItemWords bounds the length of an item, so that positions in it fit into few bits.
const maxItemWords = 1<<16 - 1

// NewItems returns the Items of texts. ngram is the number of words of a passage; changes, 0 or 1,
// is how many of them may differ in passages of at least 8 words; minShare is the share of an item
// that a text must contain, above 0 and at most 1. An item without words is never found. answers
// has the answer of each text, or is nil.
func NewItems(texts [][]byte, answers []Answer, ngram, changes int, minShare float64) (*Items, error) {
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
		if answers != nil {
			item.setAnswer(t, answers[i])
		}
	}
	x.weigh()
	x.collect()
	x.anchor()
	x.thin()
	return x, nil
}

// Len returns the number of items.
func (x *Items) Len() int { return len(x.list) }

// Same returns the first item that equals the i-th one, in its words and in its answer.
func (x *Items) Same(i int) int { return x.list[i].same }

// At returns the i-th item.
func (x *Items) At(i int) *Item { return &x.list[i] }
