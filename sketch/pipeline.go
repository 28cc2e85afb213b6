package sketch

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A step is a step of a normalizer.
type step struct {
	name string
	kin  string // the preceding step after which it makes no sense
	make func() pass
}

// A pass appends the result of a step for text to dst, which is empty. Both are well-formed UTF-8.
// It may own scratch memory.
type pass func(dst, text []byte) []byte

// steps lists every step in the order in which they are performed. What is removed first cannot
// separate characters that compose. Variables are masked while their punctuation exists;
// punctuation goes before numbers, so that 1,000 is one number; digits are unified before some of
// them become letters; white space is last, since the others leave gaps.
var steps = []step{
	{name: "strip-format", make: replace(loadFormat, 0, false)},
	{name: "strip-controls", make: replace(loadControls, 0, false)},
	{name: "nfc", make: form(norm.NFC)},
	{name: "nfkc", kin: "nfc", make: form(norm.NFKC)},
	{name: "fold", make: newFold},
	{name: "strip-accents", make: newAccents},
	{name: "ids", make: newIDs},
	{name: "variables", kin: "ids", make: newVariables},
	{name: "log-variables", kin: "variables", make: newLogVariables},
	{name: "strip-punctuation", make: replace(loadPunctuation, 0, false)},
	{name: "digits", make: replace(loadDigits, '0', false)},
	{name: "numbers", kin: "digits", make: replace(loadDigits, '0', true)},
	{name: "confusables", make: newSkeleton},
	{name: "squash-space", make: replace(loadSpaces, ' ', true)},
}

// pipeline repairs a text and performs its steps repeatedly until nothing changes, which makes it
// idempotent for any steps. For nearly all texts the first round does everything, and the second
// one confirms it.
type pipeline struct {
	steps             []pass
	text, next, spare []byte
	mapsASCII         bool // a second round may change lower-case ASCII: see isSmallASCII
}

// maxRounds is not known to be needed by any text: see TestPipelinesSettle.
const maxRounds = 8

func (p *pipeline) Append(dst, text []byte) []byte {
	p.text = repair{}.Append(p.text[:0], text)
	for range maxRounds {
		from := p.text
		for _, step := range p.steps {
			p.spare = step(p.spare[:0], from)
			p.next, p.spare = p.spare, p.next
			from = p.next
		}
		if bytes.Equal(p.next, p.text) {
			break
		}
		p.text, p.next = p.next, p.text
		if !p.mapsASCII && isSmallASCII(p.text) {
			break
		}
	}
	dst = append(dst, p.text...)
	for _, b := range []*[]byte{&p.text, &p.next, &p.spare} {
		if cap(*b) > maxScratch {
			*b = nil
		}
	}
	return dst
}

// isSmallASCII reports whether a text is ASCII without capitals. The result of a round that is
// needs no second round to confirm it. Each step leaves such text alone: normal forms and accents
// are not ASCII; what a step removes no later step inserts, since they insert only 0, the space
// and, for pictographs, words that no step changes; and capitals, which strip-accents makes from
// U+0130 after fold, are ruled out. Only confusables changes ASCII, and ids and variables, if a
// later step attaches a letter to what became 0.
func isSmallASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		if x&highs != 0 || capitals(x) != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
