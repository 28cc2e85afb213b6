package overlap

import (
	"math"
	"slices"
)

// A Finder looks for items in texts. It owns scratch memory, so each goroutine needs its own. It is
// a stream.Sketcher, whose sketches a Findings understands.
//
// The sketch of a text is the word 0 if nothing is found. Otherwise it consists of: the number of
// items found, and of those with too little found, as found<<32|parts; the latter; the number of
// pieces, and each as start<<32|end with its bytes; and each item found, as item<<32|runs, and
// withAnswer if its answer follows, with the share of it that was found, as a float64, and its
// runs: first<<32|passages of the item, and start<<32|end in the text.
type Finder struct {
	items  *Items
	placed *placed
	words  []placedWord
	keys   []uint64 // prefix keys of the words of the text; only if they are needed
	hits   []uint64 // begins<<32|passage
	leads  []lead
	runs   []run
	shares []float64 // of the items of the runs
	// whether their answers follow
	answered []bool
	covered  []bool // words of an item
	parts    []uint32
	pieces   []Piece
}

// withAnswer is a flag beside the number of runs, which is smaller.
const withAnswer = 1 << 31

// A lead is a passage in a text that may belong to an item.
type lead struct {
	item, at uint32 // its first word in the item
	begins   uint32 // its first word in the text
}

// shift returns the offset from words of the item to words of the text.
func (l lead) shift() int { return int(l.begins) - int(l.at) }

// A run is a sequence of words of a text that match words of an item, passage by passage.
type run struct {
	item, at, passages uint32
	begins             uint32
}

// NewFinder returns a Finder for the items.
func (x *Items) NewFinder() *Finder { return &Finder{items: x, placed: newPlaced()} }

// Append appends what was found in a text. ok is false if the text has no words.
func (f *Finder) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if len(text) > math.MaxInt32 {
		return dst, false
	}
	f.words, f.keys, f.hits = f.placed.append(f.words[:0], text), f.keys[:0], f.hits[:0]
	if len(f.words) == 0 {
		return dst, false
	}
	for _, t := range f.items.tables {
		f.scan(t)
	}
	if len(f.hits) > 0 {
		slices.Sort(f.hits)
		f.hits = slices.Compact(f.hits)
		f.follow()
		dst = f.appendFound(dst, text)
	} else {
		dst = append(dst, 0)
	}
	if cap(f.words) > maxScratch {
		f.words, f.keys = nil, nil
	}
	if cap(f.hits)+cap(f.leads) > maxScratch {
		f.hits, f.leads, f.runs, f.pieces = nil, nil, nil, nil
	}
	return dst, true
}

// scan scans the text for the anchors of one length.
func (f *Finder) scan(t *anchorTable) {
	if len(f.words) < t.length {
		return
	}
	key := uint64(0)
	for i, w := range f.words {
		key = key*keyFactor + w.hash
		at := i + 1 - t.length
		if at < 0 {
			continue
		}
		if at > 0 {
			key -= t.leaving * f.words[at-1].hash
		}
		values := t.anchors.find(spreadKey(key))
		if len(values) > 0 && values[0] == asShapes {
			for _, number := range values[1:] {
				f.find(number, at)
			}
			continue
		}
		for _, value := range values {
			f.compare(value, at, t.length)
		}
	}
}

// compare compares a passage with the text around one of its anchors.
func (f *Finder) compare(value uint32, at, length int) {
	number, isSecond := value>>1, value&1 == 1
	p := &f.items.passages[number]
	begins := at - int(p.first)
	if isSecond {
		begins = at - int(p.second)
	}
	changed, ok := f.isThere(number, begins)
	if !ok || isSecond && (changed < int(p.first) || changed >= int(p.first)+length) {
		return // or the first anchor is there too, and finds it
	}
	f.hits = append(f.hits, uint64(begins)<<32|uint64(number))
}

// find looks for passages of a shape whose anchor is at that word.
func (f *Finder) find(number uint32, at int) {
	s := &f.items.shapes[number]
	begins := at - s.at()
	if begins < 0 || begins+int(s.length) > len(f.words) {
		return
	}
	for _, r := range s.ranges {
		f.findWithout(number, begins, r)
	}
}

// findWithout looks for passages of a shape that begin at a word and may differ in one word of a
// range.
func (f *Finder) findWithout(number uint32, begins int, r wordRange) {
	length := int(f.items.shapes[number].length)
	without := f.keyAt(begins+r.from, r.to-r.from) * f.items.powers[length-r.to]
	forms := f.items.forms.find(formKey(f.keyAt(begins, length), without, number, r))
	if len(forms) > 0 && forms[0] == asHalves {
		left, right := r.halves()
		f.findWithout(number, begins, left)
		f.findWithout(number, begins, right)
		return
	}
	for _, passage := range forms {
		if of, ok := f.items.familyOf(passage); ok {
			if passage, ok = f.items.memberOf(of, f.words[begins+int(of.change)].hash); !ok {
				continue
			}
		}
		if _, ok := f.isThere(passage, begins); ok {
			f.hits = append(f.hits, uint64(begins)<<32|uint64(passage))
		}
	}
}

// keyAt returns the key of a range of words of the text.
func (f *Finder) keyAt(begins, length int) uint64 {
	if len(f.keys) == 0 {
		f.keys = append(f.keys, 0)
		for i, w := range f.words {
			f.keys = append(f.keys, f.keys[i]*keyFactor+w.hash)
		}
	}
	return f.keys[begins+length] - f.keys[begins]*f.items.powers[length]
}

// isThere reports whether the text contains a passage, rather than only its key. changed is the
// index of the word that differs, or -1.
func (f *Finder) isThere(passage uint32, begins int) (changed int, ok bool) {
	words := f.items.wordsOf(passage)
	if begins < 0 || begins+len(words) > len(f.words) {
		return -1, false
	}
	changed = -1
	changes := f.items.list[f.items.passages[passage].item].changes
	for i, w := range words {
		if w == f.words[begins+i].hash {
			continue
		}
		if changes--; changes < 0 {
			return i, false
		}
		changed = i
	}
	return changed, true
}
