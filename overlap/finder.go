package overlap

import (
	"math"
)

// A Finder looks for items in texts. It owns scratch memory: one for each goroutine. It is a
// stream.Sketcher, whose sketches a Findings understands: a list of passages with their texts.
type Finder struct {
	items  *Items
	placed *placed
	words  []placedWord
	found  []passage
}

// A passage is where words of an item were found.
type passage struct {
	item       uint32
	from, to   uint32 // words of the item
	text       uint32 // the word of the text at which it begins
	start, end uint32 // bytes of the text
}

// NewFinder returns a Finder.
func (x *Items) NewFinder() *Finder { return &Finder{items: x, placed: newPlaced()} }

// Append appends what was found in a text. ok is false if there is no word in it.
func (f *Finder) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if len(text) > math.MaxInt32 {
		return dst, false
	}
	f.words, f.found = f.placed.append(f.words[:0], text), f.found[:0]
	if len(f.words) == 0 {
		return dst, false
	}
	for _, t := range f.items.tables {
		f.look(t)
	}
	dst = append(dst, uint64(len(f.found)))
	for _, p := range f.found {
		dst = append(dst, uint64(p.item), uint64(p.from)<<32|uint64(p.to), uint64(p.start)<<32|uint64(p.end))
		dst = AppendBytes(dst, text[p.start:p.end])
	}
	if cap(f.words) > maxScratch {
		f.words = nil
	}
	return dst, true
}

// look goes over the text with the anchors of one length.
func (f *Finder) look(t *anchorTable) {
	if len(f.words) < t.length {
		return
	}
	key := uint64(0)
	for i, w := range f.words {
		key = key*anchorFactor + w.hash
		at := i + 1 - t.length
		if at < 0 {
			continue
		}
		if at > 0 {
			key -= t.leaving * f.words[at-1].hash
		}
		for _, p := range t.find(key) {
			f.verify(p, at, t.length)
		}
	}
}

// verify looks how far an item agrees with the text around an anchor of that length, which stands
// at a word of the text.
func (f *Finder) verify(p posting, at, length int) {
	item := &f.items.list[p.item]
	if f.isFound(p, at) {
		return
	}
	from, to := int(p.at), int(p.at)+length
	shift := at - from // from a word of the item to that of the text
	for k := from; k < to; k++ {
		if item.words[k] != f.words[k+shift].hash {
			return // another anchor has the same key
		}
	}
	first, last := max(0, -shift), min(len(item.words), len(f.words)-shift)
	left := f.agree(item, from, first, -1, shift)
	right := f.agree(item, to, last, 1, shift)
	if item.changes == 0 {
		f.add(p.item, item, left, right, shift)
		return
	}
	farLeft, farRight := left, right
	if left > first {
		farLeft = f.agree(item, left-1, first, -1, shift)
	}
	if right < last {
		farRight = f.agree(item, right+1, last, 1, shift)
	}
	f.add(p.item, item, farLeft, right, shift)
	if farRight > right {
		f.add(p.item, item, left, farRight, shift)
	}
}

// agree goes from a word of the item as far as it and the text agree, in one direction, and returns
// the edge that it has come to.
func (f *Finder) agree(item *Item, at, limit, step, shift int) int {
	if step < 0 {
		for at > limit && item.words[at-1] == f.words[at-1+shift].hash {
			at--
		}
		return at
	}
	for at < limit && item.words[at] == f.words[at+shift].hash {
		at++
	}
	return at
}

// add notes words from … to-1 of an item, if that is a passage.
func (f *Finder) add(number uint32, item *Item, from, to, shift int) {
	if to-from < item.window {
		return
	}
	f.found = append(f.found, passage{
		item: number, from: uint32(from), to: uint32(to), text: uint32(from + shift),
		start: f.words[from+shift].start, end: f.words[to+shift-1].end,
	})
}

// lookBack is how many passages are compared with an anchor: in a text made of items alone, there
// are too many for all. To find a passage twice does no harm.
const lookBack = 256

// isFound reports whether the words of an anchor are in a passage that was found.
func (f *Finder) isFound(p posting, at int) bool {
	for i := len(f.found) - 1; i >= max(0, len(f.found)-lookBack); i-- {
		q := f.found[i]
		if q.item == p.item && q.from <= p.at && p.at < q.to && int(p.at-q.from) == at-int(q.text) {
			return true
		}
	}
	return false
}
