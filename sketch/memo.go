package sketch

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// A memo has what was made of texts that came more than once, by the hashes of their normal forms:
// in logs, crawls and templates most texts are equal to one that came before. A text that is the
// same, byte for byte, is known before it is normalised. A memo takes at most 4 MB, and no memory
// and next to no time where texts do not repeat. As it only spares work, sketches are the same with
// it and without. Its zero value is empty.
//
// Hashes are under a seed that each Sketcher draws: two texts that somebody has made for one hash
// would have one sketch, whatever --seed is.
type memo struct {
	seed   uint64
	forms  trial
	once   []uint64       // where a hash belongs, its high half: of normal forms that came once
	hashes []xxh3.Uint128 // where a hash belongs, that of the sketch there; zero for none
	rows   []uint64       // these sketches
	kept   int            // how many were taken in since there is so much room

	texts  trial
	same   []normalForm // where the hash of a text belongs, a text and what it is normalised to
	filled int          // places of same
}

// A normalForm has the hash of a text, and that of its normal form.
type normalForm struct{ text, form xxh3.Uint128 }

const (
	memoOnce  = 1 << 13 // hashes
	memoFirst = 64      // sketches, of which there is room for twice as many each time it is full
	memoBytes = 2 << 20 // of sketches, at most
	// Places for hashes of texts: the first ones, and the most. There are twice as many each time
	// an eighth is filled, so that few texts that repeat touch little memory.
	firstTexts, memoTexts = 1 << 10, 1 << 16
)

// hash is the hash of a text or of a normal form.
func (m *memo) hash(text []byte) xxh3.Uint128 { return xxh3.Hash128Seed(text, m.seed) }

// row is where a hash belongs, and the sketch there, of so many words.
func (m *memo) row(hash xxh3.Uint128, words int) (at int, row []uint64) {
	at = int(hash.Lo) & (len(m.hashes) - 1)
	return at, m.rows[at*words : (at+1)*words]
}

// find returns the sketch of the normal form of that hash, of so many words, or nil.
func (m *memo) find(form xxh3.Uint128, words int) []uint64 {
	if len(m.hashes) == 0 {
		return nil
	}
	at, row := m.row(form, words)
	if m.hashes[at] != form {
		return nil
	}
	m.forms.found++
	return row
}

// keep returns where the sketch of a normal form is to be put when it comes the second time; else
// nil.
func (m *memo) keep(form xxh3.Uint128, words int) []uint64 {
	if m.once == nil {
		m.once = make([]uint64, memoOnce)
	}
	if once := &m.once[form.Lo%memoOnce]; *once != form.Hi {
		*once = form.Hi
		return nil
	}
	m.forms.found++ // it would be, if it were there
	if m.kept == len(m.hashes) {
		m.grow(words)
	}
	m.kept++
	at, row := m.row(form, words)
	m.hashes[at] = form
	return row
}

// grow makes room for twice as many sketches, if that is allowed. Those that were there are
// forgotten: their texts come again, or are no loss.
func (m *memo) grow(words int) {
	n := max(memoFirst, 2*len(m.hashes))
	m.kept = 0
	if n > memoFirst && n*words*8 > memoBytes {
		return
	}
	m.hashes, m.rows = make([]xxh3.Uint128, n), make([]uint64, n*words)
}

// findText returns the sketch of a text of that hash, or nil.
func (m *memo) findText(text xxh3.Uint128, words int) []uint64 {
	if m.same == nil {
		return nil
	}
	known := m.same[m.placeOf(text)]
	if known.text != text {
		return nil
	}
	m.texts.found++
	return m.find(known.form, words)
}

// keepText remembers which normal form, that is known, a text has.
func (m *memo) keepText(text, form xxh3.Uint128) {
	if 8*m.filled >= len(m.same) && len(m.same) < memoTexts {
		before := m.same
		m.same, m.filled = make([]normalForm, max(firstTexts, 2*len(before))), 0
		for _, f := range before {
			m.put(f)
		}
	}
	m.put(normalForm{text, form})
}

func (m *memo) put(f normalForm) {
	if f == (normalForm{}) {
		return
	}
	at := &m.same[m.placeOf(f.text)]
	if *at == (normalForm{}) {
		m.filled++
	}
	*at = f
}

func (m *memo) placeOf(text xxh3.Uint128) int { return int(text.Lo) & (len(m.same) - 1) }

// A trial finds out whether it pays to look texts up.
type trial struct {
	asked, found int
	rest         int // how many texts are still to be left alone
}

// How many texts a trial is of, of which one in trialLeast must be found, or else it is left alone
// for trialRest of them.
const (
	trialTexts = 4096
	trialLeast = 32
	trialRest  = 16 * trialTexts
)

// pays reports whether a text is to be looked up.
func (t *trial) pays() bool {
	if t.rest > 0 {
		t.rest--
		return false
	}
	if t.asked == trialTexts {
		if t.found*trialLeast < trialTexts {
			t.rest = trialRest
		}
		t.asked, t.found = 0, 0
	}
	t.asked++
	return true
}

// recall appends the first words of the sketch of a text of one window: from the memo, if it is
// there, which hashing and normalising the text tells, that are a small part of sketching it.
func (s *Sketcher) recall(dst []uint64, text []byte, words int) ([]uint64, bool) {
	var ofText xxh3.Uint128
	asksTexts := s.memo.texts.pays()
	size := SignedWords(s.params)
	if asksTexts {
		ofText = s.memo.hash(text)
		if row := s.memo.findText(ofText, size); row != nil {
			return append(dst, row[:words]...), true
		}
	}
	w := s.windows(text)
	s.normal = s.normalizer.Append(reserve(s.normal, 2*len(text), len(text)), text)
	w.rest = nil
	form := s.memo.hash(s.normal)
	row := s.memo.find(form, size)
	isKnown := row != nil
	if !isKnown {
		w.shingle(len(text), cleanEdge)
		if isKnown = s.shingles.len() > 0; isKnown {
			s.slots = append(s.slots[:0], s.blank...)
			s.sketch.add(s.slots, &s.shingles)
			if row = s.memo.keep(form, size); row != nil {
				AppendPacked(s.appendKeys(row[:0]), s.slots, s.params.PackedBits())
			}
		}
	}
	s.normal = s.normal[:0]
	s.release()
	switch {
	case !isKnown:
		return dst, false
	case row == nil:
		return s.appendMade(dst, words), true
	case asksTexts:
		s.memo.keepText(ofText, form)
	}
	return append(dst, row[:words]...), true
}

// appendMade appends the first words of the sketch of the signature at hand.
func (s *Sketcher) appendMade(dst []uint64, words int) []uint64 {
	if dst = s.appendKeys(slices.Grow(dst, words)); words > 2*s.params.Bands {
		dst = AppendPacked(dst, s.slots, s.params.PackedBits())
	}
	return dst
}
