package overlap

import (
	"cmp"
	"fmt"
	"slices"
)

// Items are texts that are looked for in others, such as the questions of an evaluation set. Two
// passages are the same if their words are, whatever stands between words: case, punctuation and
// line breaks do not count. A passage is n words of an item, or all of an item that has fewer; one
// of its words may be another one.
//
// It does not change when it is made, and is safe for concurrent use.
type Items struct {
	ngram  int
	list   []Item
	tables []*anchorTable // one for each length of anchors
}

// An Item is one of the texts that are looked for.
type Item struct {
	Text    []byte
	words   []uint64 // hashes
	ends    []uint32 // where each ends in Text
	starts  []uint32
	window  int // words of a passage
	changes int // of its words that may be others: 0 or 1
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
	case i.changes == 0:
		return min(i.window, longAnchor)
	}
	return min((i.window-1)/2, longAnchor)
}

const (
	shortAnchor = 3
	longAnchor  = 6 // of 13 words, of which the one in the middle has changed

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
	x := &Items{ngram: ngram, list: make([]Item, len(texts))}
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
	x.index()
	return x, nil
}

// Len is the number of items.
func (x *Items) Len() int { return len(x.list) }

// At is the i-th item.
func (x *Items) At(i int) *Item { return &x.list[i] }

// index makes the tables of anchors.
func (x *Items) index() {
	byLength := map[int][]posting{}
	for i := range x.list {
		item := &x.list[i]
		if len(item.words) == 0 {
			continue
		}
		a := item.anchorOf()
		for at := 0; at+a <= len(item.words); at++ {
			byLength[a] = append(byLength[a], posting{anchorKey(item.words[at : at+a]), uint32(i), uint32(at)})
		}
	}
	for length, postings := range byLength {
		x.tables = append(x.tables, newAnchorTable(length, x.rarest(length, postings)))
	}
	slices.SortFunc(x.tables, func(a, b *anchorTable) int { return cmp.Compare(b.length, a.length) })
}

// rarest leaves out anchors that are not needed. An item that is looked for as a whole is found by
// one anchor, or by the other one of two that share no word. Those that fewest items have are best:
// many a question begins like others.
func (x *Items) rarest(length int, postings []posting) []posting {
	count := map[uint64]int{}
	for _, p := range postings {
		count[p.key]++
	}
	kept := postings[:0]
	for start := 0; start < len(postings); {
		end := start
		for end < len(postings) && postings[end].item == postings[start].item {
			end++
		}
		own := postings[start:end]
		start = end
		switch item := &x.list[own[0].item]; {
		case !item.isWhole():
			kept = append(kept, own...)
		case item.changes == 0:
			rarest := slices.MinFunc(own, func(a, b posting) int { return cmp.Compare(count[a.key], count[b.key]) })
			kept = append(kept, rarest)
		default:
			one, other := rarestPair(own, length, count)
			kept = append(kept, one, other)
		}
	}
	return kept
}

// rarestPair is the two anchors without a common word that fewest items have. There are always two,
// since an anchor is less than half of an item.
func rarestPair(own []posting, length int, count map[uint64]int) (one, other posting) {
	least := -1
	for i, a := range own {
		for _, b := range own[min(i+length, len(own)):] {
			if n := count[a.key] + count[b.key]; least < 0 || n < least {
				least, one, other = n, a, b
			}
		}
	}
	return one, other
}
