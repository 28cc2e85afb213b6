package sketch

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A step is a part of a normaliser.
type step struct {
	name string
	kin  string // the step before it, if it makes no sense after that
	make func() pass
}

// A pass appends what a step makes of a text to dst, which is empty. Both texts are well-formed
// UTF-8. It may own scratch memory.
type pass func(dst, text []byte) []byte

// steps has every step, in the order in which they are done. What is removed first cannot stand
// between characters that compose; what varies is masked while its punctuation is there, which goes
// before numbers, so that 1,000 is one; digits are made equal before some of them become letters;
// white space is last, since the others leave gaps.
var steps = []step{
	{name: "strip-format", make: replace(loadFormat, 0, false)},
	{name: "strip-controls", make: replace(loadControls, 0, false)},
	{name: "nfc", make: form(norm.NFC)},
	{name: "nfkc", kin: "nfc", make: form(norm.NFKC)},
	{name: "fold", make: newFold},
	{name: "strip-accents", make: newAccents},
	{name: "variables", make: newVariables},
	{name: "strip-punctuation", make: replace(loadPunctuation, 0, false)},
	{name: "digits", make: replace(loadDigits, '0', false)},
	{name: "numbers", kin: "digits", make: replace(loadDigits, '0', true)},
	{name: "confusables", make: newSkeleton},
	{name: "squash-space", make: replace(loadSpaces, ' ', true)},
}

// pipeline repairs a text and does its steps one after the other, again and again until they change
// nothing: that makes it idempotent, whatever the steps. One round does it for nearly all texts,
// and a second one shows that it did.
type pipeline struct {
	steps             []pass
	text, next, spare []byte
	mapsASCII         bool // a second round may change small ASCII: see isSmallASCII
}

// maxRounds is a bound that no text is known to need: see TestPipelinesSettle.
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

// isSmallASCII reports whether a text is ASCII without capitals. What came out of a round like that
// needs no second one to be seen as settled. Each step leaves it alone: normal forms and accents
// are beyond ASCII; what a step removes, no later one puts in again, since they put in only 0 and
// the space; and capitals, which strip-accents makes of U+0130 after fold was there, are ruled out.
// Only confusables has more to say about ASCII, and variables, if a later step joins to a letter
// what has become 0.
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
