package sketch

import (
	"slices"

	"github.com/zeebo/xxh3"
)

// A memo caches the sketches of texts that came more than once, by the hashes of their normal
// forms: in logs, crawls and templates most texts equal an earlier one. A byte-identical text is
// recognized before it is normalized. A memo takes at most 4 MB, and hardly any memory or time if
// texts do not repeat. It does not affect the sketches. The zero value is empty.
//
// Hashes use a random seed of each Sketcher: otherwise two texts constructed to have the same hash
// would get one sketch, whatever --seed is.
type memo struct {
	seed   uint64
	forms  trial
	once   []uint64       // upper halves of the hashes of normal forms that came once
	hashes []xxh3.Uint128 // hash of the sketch in each place, or zero
	rows   []uint64       // the sketches
	kept   int            // number stored at the present size

	texts  trial
	same   []normalForm // a text and its normal form, in place of the hash of the text
	filled int          // places of same in use
}

// A normalForm is the hash of a text, and that of its normal form.
type normalForm struct{ text, form xxh3.Uint128 }

const (
	memoOnce  = 1 << 13 // hashes
	memoFirst = 64      // initial capacity, which doubles when it is full
	memoBytes = 2 << 20 // maximum size of all sketches
	// Initial and maximum number of places for hashes of texts. It doubles when an eighth is in
	// use, so that a few repeated texts touch little memory.
	firstTexts, memoTexts = 1 << 10, 1 << 16
)

// hash returns the hash of a text or of a normal form.
func (m *memo) hash(text []byte) xxh3.Uint128 { return xxh3.Hash128Seed(text, m.seed) }

// row returns the place of a hash, and the sketch of that many words there.
func (m *memo) row(hash xxh3.Uint128, words int) (at int, row []uint64) {
	at = int(hash.Lo) & (len(m.hashes) - 1)
	return at, m.rows[at*words : (at+1)*words]
}

// find returns the remembered sketch of a normal form with that hash, if there is one.
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

// keep returns where to store the sketch of a normal form when it comes for the second time, else
// nil.
func (m *memo) keep(form xxh3.Uint128, words int) []uint64 {
	if m.once == nil {
		m.once = make([]uint64, memoOnce)
	}
	if once := &m.once[form.Lo%memoOnce]; *once != form.Hi {
		*once = form.Hi
		return nil
	}
	m.forms.found++ // it would have been found, had it been stored
	if m.kept == len(m.hashes) {
		m.grow(words)
	}
	m.kept++
	at, row := m.row(form, words)
	m.hashes[at] = form
	return row
}

// grow doubles the capacity, if allowed. It drops the sketches stored so far: if their texts come
// again they are stored again.
func (m *memo) grow(words int) {
	n := max(memoFirst, 2*len(m.hashes))
	m.kept = 0
	if n > memoFirst && n*words*8 > memoBytes {
		return
	}
	m.hashes, m.rows = make([]xxh3.Uint128, n), make([]uint64, n*words)
}

// findText returns the remembered sketch of a text with that hash, if there is one.
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

// keepText stores the normal form, which must be known, of a text.
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

// A trial decides whether looking up texts pays.
type trial struct {
	asked, found int
	rest         int // texts still to skip
}

// The number of texts of a trial. At least one in trialLeast must be found, or else the next
// trialRest trials are skipped.
const (
	trialTexts = 4096
	trialLeast = 32
	trialRest  = 16 * trialTexts
)

// pays reports whether to look up a text.
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

// recall appends the first words of the sketch of a text of one window, from the memo if possible.
// Hashing and normalizing the text are a small part of sketching it.
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

// appendMade appends the first words of the sketch of the current signature.
func (s *Sketcher) appendMade(dst []uint64, words int) []uint64 {
	if dst = s.appendKeys(slices.Grow(dst, words)); words > 2*s.params.Bands {
		dst = AppendPacked(dst, s.slots, s.params.PackedBits())
	}
	return dst
}
