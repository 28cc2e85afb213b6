package overlap

import (
	"math"
	"slices"
)

// A Finder looks for items in texts. It owns scratch memory: one for each goroutine. It is a
// stream.Sketcher, whose sketches a Findings understands.
//
// The sketch of a text is the word 0 if nothing is found. Else it is the number of hits; the
// numbers of pieces and stretches, as pieces<<32|stretches; a word for each hit, the word of the
// text where it begins and its form, as begins<<32|form, in rising order; a word for each piece,
// which bytes of the text it is, as start<<32|end; and the stretches, as appendStretch says.
type Finder struct {
	items  *Items
	placed *placed
	words  []placedWord
	keys   []uint64 // of the first words of the text, from none on; only if they are needed
	hits   []uint64
	pieces []Piece
	ranges []wordRange
}

// NewFinder returns a Finder.
func (x *Items) NewFinder() *Finder { return &Finder{items: x, placed: newPlaced()} }

// Append appends what was found in a text. ok is false if there is no word in it.
func (f *Finder) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if len(text) > math.MaxInt32 {
		return dst, false
	}
	f.words, f.keys, f.hits = f.placed.append(f.words[:0], text), f.keys[:0], f.hits[:0]
	if len(f.words) == 0 {
		return dst, false
	}
	for _, t := range f.items.tables {
		f.look(t)
	}
	slices.Sort(f.hits)
	f.hits = slices.Compact(f.hits)
	dst = append(dst, uint64(len(f.hits)))
	if len(f.hits) > 0 {
		f.join()
		dst = append(append(dst, uint64(len(f.pieces))<<32|uint64(len(f.ranges))), f.hits...)
		for _, p := range f.pieces {
			dst = append(dst, uint64(p.Start)<<32|uint64(p.End))
		}
		for _, r := range f.ranges {
			dst = f.appendStretch(dst, r, text)
		}
	}
	if cap(f.words) > maxScratch {
		f.words, f.keys = nil, nil
	}
	if cap(f.hits) > maxScratch {
		f.hits, f.pieces, f.ranges = nil, nil, nil
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
				f.ask(number, at)
			}
			continue
		}
		for _, value := range values {
			f.compare(value, at, t.length)
		}
	}
}

// compare compares a passage with the text, where one of its anchors stands at that word.
func (f *Finder) compare(value uint32, at, length int) {
	number, isSecond := value>>1, value&1 == 1
	p := &f.items.passages[number]
	begins := at - int(p.first)
	if isSecond {
		begins = at - int(p.second)
	}
	words := f.items.wordsOf(number)
	if begins < 0 || begins+len(words) > len(f.words) {
		return
	}
	changed, changes := -1, 0
	for i, w := range words {
		if w == f.words[begins+i].hash {
			continue
		}
		if changed, changes = i, changes+1; changes > f.items.list[p.item].changes {
			return
		}
	}
	if isSecond && (changed < int(p.first) || changed >= int(p.first)+length) {
		return // the first anchor is there as well, and finds it
	}
	f.hits = append(f.hits, uint64(begins)<<32|uint64(number))
}

// ask looks for passages of a shape, where its anchor stands at that word.
func (f *Finder) ask(number uint32, at int) {
	s := &f.items.shapes[number]
	begins := at - s.at()
	if begins < 0 || begins+int(s.length) > len(f.words) {
		return
	}
	for _, r := range s.ranges {
		f.askWithout(number, begins, r)
	}
}

// askWithout looks for passages of a shape that begin there, but for a word of a range.
func (f *Finder) askWithout(number uint32, begins int, r wordRange) {
	length := int(f.items.shapes[number].length)
	without := f.keyAt(begins+r.from, r.to-r.from) * f.items.powers[length-r.to]
	forms := f.items.forms.find(formKey(f.keyAt(begins, length), without, number, r))
	if len(forms) > 0 && forms[0] == asHalves {
		left, right := r.halves()
		f.askWithout(number, begins, left)
		f.askWithout(number, begins, right)
		return
	}
	for _, form := range forms {
		if f.isThere(form, begins) {
			f.hits = append(f.hits, uint64(begins)<<32|uint64(form))
		}
	}
}

// keyAt is the key of words of the text.
func (f *Finder) keyAt(begins, length int) uint64 {
	if len(f.keys) == 0 {
		f.keys = append(f.keys, 0)
		for i, w := range f.words {
			f.keys = append(f.keys, f.keys[i]*keyFactor+w.hash)
		}
	}
	return f.keys[begins+length] - f.keys[begins]*f.items.powers[length]
}

// isThere reports whether a form stands in the text, and not only its key.
func (f *Finder) isThere(form uint32, begins int) bool {
	example := f.items.exampleOf(form)
	words := f.items.wordsOf(example)
	if begins+len(words) > len(f.words) {
		return false
	}
	changed, changes := -1, f.items.list[f.items.passages[example].item].changes
	if of, ok := f.items.familyOf(form); ok {
		changed = int(of.change)
	}
	for i, w := range words {
		if w == f.words[begins+i].hash || i == changed {
			continue
		}
		if changes--; changes < 0 || changed >= 0 {
			return false
		}
	}
	return true
}

// join makes pieces, and ranges of words, of the hits.
func (f *Finder) join() {
	f.pieces, f.ranges = f.pieces[:0], f.ranges[:0]
	var piece, all wordRange // that are not added yet
	for _, hit := range f.hits {
		begins := int(hit >> 32)
		ends := begins + f.items.wordsIn(uint32(hit))
		if begins > all.to {
			f.addRange(all)
			all = wordRange{from: begins}
		}
		if begins >= piece.to && !f.isPair(piece, begins) {
			f.addPiece(piece)
			piece = wordRange{from: begins}
		}
		all.to, piece.to = max(all.to, ends), max(piece.to, ends)
	}
	f.addRange(all)
	f.addPiece(piece)
}

// addRange adds words, unless there are none.
func (f *Finder) addRange(r wordRange) {
	if r.to > 0 {
		f.ranges = append(f.ranges, r)
	}
}

// isPair reports whether a word follows a piece in an item as well.
func (f *Finder) isPair(piece wordRange, begins int) bool {
	return piece.to > 0 && piece.to == begins && f.items.pairs != nil &&
		f.items.pairs[f.words[begins-1].hash*keyFactor+f.words[begins].hash]
}

// addPiece adds the bytes of words, unless there are none. Bytes that touch each other are a piece.
func (f *Finder) addPiece(r wordRange) {
	if r.to == 0 {
		return
	}
	p := Piece{int(f.words[r.from].start), int(f.words[r.to-1].end)}
	if last := len(f.pieces) - 1; last >= 0 && p.Start <= f.pieces[last].End {
		f.pieces[last].End = max(f.pieces[last].End, p.End)
		return
	}
	f.pieces = append(f.pieces, p)
}

// appendStretch appends words of a text, in which there are hits: the first and their number, as
// first<<32|number; their hashes; where they stand in the text, as start<<32|end; and the bytes
// from the start of the first to the end of the last.
func (f *Finder) appendStretch(dst []uint64, r wordRange, text []byte) []uint64 {
	words := f.words[r.from:r.to]
	dst = append(dst, uint64(r.from)<<32|uint64(len(words)))
	for _, w := range words {
		dst = append(dst, w.hash)
	}
	for _, w := range words {
		dst = append(dst, uint64(w.start)<<32|uint64(w.end))
	}
	return AppendBytes(dst, text[words[0].start:words[len(words)-1].end])
}
