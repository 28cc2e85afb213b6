package sketch

import (
	"bytes"

	"golang.org/x/text/unicode/norm"
)

// A step is a part of a normaliser.
type step struct {
	name string
	kin  string // the step before it, if it makes no sense after that
	make func() func(dst, text []byte) []byte
}

// steps has every step, in the order in which they are done. What is removed first cannot stand between characters
// that compose; punctuation goes before numbers, so that 1,000 is one; digits are made equal before some of them
// become letters; white space is last, since the others leave gaps.
var steps = []step{
	{name: "strip-format", make: replace(loadFormat, 0, false)},
	{name: "strip-controls", make: replace(loadControls, 0, false)},
	{name: "nfc", make: form(norm.NFC)},
	{name: "nfkc", kin: "nfc", make: form(norm.NFKC)},
	{name: "fold", make: newFold},
	{name: "strip-accents", make: newAccents},
	{name: "strip-punctuation", make: replace(loadPunctuation, 0, false)},
	{name: "digits", make: replace(loadDigits, '0', false)},
	{name: "numbers", kin: "digits", make: replace(loadDigits, '0', true)},
	{name: "confusables", make: newSkeleton},
	{name: "squash-space", make: replace(loadSpaces, ' ', true)},
}

// pipeline repairs a text and does its steps one after the other, again and again until they change nothing: that makes
// it idempotent, whatever the steps. One round does it for nearly all texts, and a second one shows that it did.
type pipeline struct {
	steps             []func(dst, text []byte) []byte
	text, next, spare []byte
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
	}
	dst = append(dst, p.text...)
	for _, b := range []*[]byte{&p.text, &p.next, &p.spare} {
		if cap(*b) > maxScratch {
			*b = nil
		}
	}
	return dst
}
