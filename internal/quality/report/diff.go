package report

import (
	"strings"
	"unicode/utf8"
)

// Compare shows a text next to the earlier one, each up to its first Excerpt bytes, and marks what
// only one of them has.
func (e *Example) Compare(text, earlier []byte) {
	e.compare(excerptOf(text, Excerpt), excerptOf(earlier, Excerpt))
}

// compareSets marks the words that the other text lacks, wherever they stand, since the order of
// words does not count.
func (e *Example) compareSets(text, earlier excerpt) {
	numbers := map[string]int32{" ": 0}
	left, right := newSide(text, numbers, strings.ToLower), newSide(earlier, numbers, strings.ToLower)
	left.keepWords(right)
	right.keepWords(left)
	e.Text, e.Rest = left.spans(false)
	e.Earlier, e.EarlierRest = right.spans(false)
	e.Cut = text.cut || earlier.cut
}

// An excerpt is the shown beginning of a text, or all of it.
type excerpt struct {
	text string
	cut  bool // the text may continue
}

func excerptOf(text []byte, bytes int) excerpt {
	return excerpt{readable(text[:min(len(text), bytes)]), len(text) >= bytes}
}

func asItIs(piece string) string { return piece }

// compare marks what the other text lacks: pieces that are neither in a longest common subsequence
// nor in a passage that occurs elsewhere in the other text. All white space is equal. If little
// matches, case is ignored too, since a text in capitals is the same text.
func (e *Example) compare(text, earlier excerpt) {
	left, right := aligned(text, earlier, asItIs)
	if same := left.sameBytes(); 2*same < min(len(text.text), len(earlier.text)) {
		l, r := aligned(text, earlier, strings.ToLower)
		if l.sameBytes() > same {
			left, right, e.Caseless = l, r, true
		}
	}
	e.Text, e.Rest = left.spans(earlier.cut)
	e.Earlier, e.EarlierRest = right.spans(text.cut)
	e.Cut = text.cut || earlier.cut
}

// aligned finds what two texts have in common, comparing pieces by their keys.
func aligned(text, earlier excerpt, keyOf func(piece string) string) (left, right *side) {
	numbers := map[string]int32{" ": 0} // all white space is equal
	left, right = newSide(text, numbers, keyOf), newSide(earlier, numbers, keyOf)
	found := commonOf(left.numbers, right.numbers)
	for _, c := range withoutChance(found, left, right, text.cut || earlier.cut) {
		left.keep(c.a, c.n)
		right.keep(c.b, c.n)
	}
	left.keepPassages(right)
	right.keepPassages(left)
	return left, right
}

// A side is one of two texts being compared.
type side struct {
	pieces  []string
	numbers []int32 // of the pieces; equal pieces have equal numbers
	same    []bool  // whether the other text has the piece too
	end     int     // end of the longest common subsequence
}

// newSide numbers the pieces of a text.
func newSide(of excerpt, numbers map[string]int32, keyOf func(piece string) string) *side {
	s := &side{pieces: piecesOf(of)}
	for _, piece := range s.pieces {
		key := keyOf(piece)
		if strings.TrimSpace(piece) == "" {
			key = " "
		}
		n, known := numbers[key]
		if !known {
			n = int32(len(numbers))
			numbers[key] = n
		}
		s.numbers = append(s.numbers, n)
	}
	s.same = make([]bool, len(s.pieces))
	return s
}

// keep marks a common range after the previous ones.
func (s *side) keep(from, n int) {
	s.keepAt(from, n)
	s.end = from + n
}

func (s *side) keepAt(from, n int) {
	for i := range n {
		s.same[from+i] = true
	}
}

// A window is the length of a passage in pieces: five words with the spaces between them.
type window [9]int32

func (s *side) windows(do func(at int, w window)) {
	for at := range len(s.numbers) - len(window{}) + 1 {
		do(at, window(s.numbers[at:]))
	}
}

// keepPassages marks passages that occur anywhere in the other text.
func (s *side) keepPassages(other *side) {
	known := map[window]bool{}
	other.windows(func(_ int, w window) { known[w] = true })
	s.windows(func(at int, w window) {
		if known[w] {
			s.keepAt(at, len(w))
		}
	})
}

// keepWords marks the words that occur anywhere in the other text, and everything that is not a
// word.
func (s *side) keepWords(other *side) {
	known := map[int32]bool{}
	for _, n := range other.numbers {
		known[n] = true
	}
	for i, n := range s.numbers {
		first, _ := utf8.DecodeRuneInString(s.pieces[i])
		s.same[i] = known[n] || !isWord(first)
	}
}

// spans marks what the other text lacks. If the other text is truncated, its rest may contain what
// follows the last common piece, and all of a text with hardly any match. So these are not marked.
func (s *side) spans(otherIsCut bool) (spans []Span, rest string) {
	end := len(s.pieces)
	if otherIsCut {
		end = s.end
	}
	kept := 0
	for i, piece := range s.pieces[:end] {
		spans = appendSpan(spans, !s.same[i], piece)
		if s.same[i] {
			kept += len(piece)
		}
	}
	if otherIsCut && 4*kept < s.bytes(0, end) {
		return nil, strings.Join(s.pieces, "")
	}
	return spans, strings.Join(s.pieces[end:], "")
}

// sameBytes returns the number of common bytes.
func (s *side) sameBytes() (sum int) {
	for i, piece := range s.pieces {
		if s.same[i] {
			sum += len(piece)
		}
	}
	return sum
}

func (s *side) bytes(from, to int) (sum int) {
	for _, piece := range s.pieces[from:to] {
		sum += len(piece)
	}
	return sum
}

// chance is the number of bytes, a word or two, that texts may have in common by chance.
const chance = 16

// withoutChance drops common ranges that are short and no longer than the differences around them;
// otherwise single words and spaces would be marked in unrelated passages. The end of a text that
// continues differs from everything.
func withoutChance(found []common, left, right *side, goOn bool) (kept []common) {
	between := func(i int, to common) int { // differing bytes between a range and the next one
		from := common{}
		if i >= 0 {
			from = common{kept[i].a + kept[i].n, kept[i].b + kept[i].n, 0}
		}
		if goOn && to.n == 0 {
			return chance
		}
		return max(left.bytes(from.a, to.a), right.bytes(from.b, to.b))
	}
	for _, next := range append(found, common{len(left.pieces), len(right.pieces), 0}) {
		for last := len(kept) - 1; last >= 0; last-- {
			of := kept[last]
			size := left.bytes(of.a, of.a+of.n)
			if size > chance || size > between(last-1, of) || size > between(last, next) {
				break
			}
			kept = kept[:last]
		}
		kept = append(kept, next)
	}
	return kept[:len(kept)-1]
}
