package boilerplate

import (
	"bytes"
	"fmt"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// A Unit is what is counted.
type Unit uint8

// What a part is.
const (
	Lines     Unit = iota // a line
	Blocks                // consecutive lines that are not blank
	Sentences             // a sentence of a line
)

// ParseUnit returns the unit called line, block or sentence.
func ParseUnit(name string) (Unit, error) {
	switch name {
	case "line":
		return Lines, nil
	case "block":
		return Blocks, nil
	case "sentence":
		return Sentences, nil
	}
	return Lines, fmt.Errorf("%q is no part of a text: use line, block or sentence", name)
}

// A part is a range of a text, without the newline after it.
type part struct {
	start, end int
	hash       uint64 // 0: it has no letter and no digit, and is not counted
	isBlank    bool
	isInLine   bool // a sentence that another one follows on its line
}

// pageMark represents the page itself among the counted parts. No part has this hash.
const pageMark = 0

// parts yields the parts of a text, which cover all its lines, apart from the white space between
// sentences.
func (u Unit) parts(text []byte) iter.Seq[part] {
	return func(yield func(part) bool) {
		if u == Sentences {
			sentences(text, yield)
			return
		}
		for start := 0; start < len(text); {
			p := part{start: start, end: lineEnd(text, start)}
			p.isBlank = len(trim(text[start:p.end])) == 0
			for u == Blocks && !p.isBlank && p.end < len(text) {
				end := lineEnd(text, p.end+1)
				if len(trim(text[p.end+1:end])) == 0 {
					break
				}
				p.end = end
			}
			p.hash = hashOf(trim(text[p.start:p.end]))
			if start = p.end + 1; !yield(p) {
				return
			}
		}
	}
}

// lineEnd returns the end of the line that starts there.
func lineEnd(text []byte, start int) int {
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		return start + n
	}
	return len(text)
}

// trim removes white space around a part. Bytes are enough: other white space than that of ASCII is
// rare there, and only keeps two parts apart.
func trim(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c-'\t' < 5 }

// hashOf returns the hash of a part that is trimmed, or 0 if it is not counted.
func hashOf(trimmed []byte) uint64 {
	if !hasWord(trimmed) {
		return 0
	}
	return max(1, xxh3.Hash(trimmed))
}

// hasWord reports whether there is a letter or a digit.
func hasWord(b []byte) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c|0x20-'a' < 26 || c-'0' < 10 {
				return true
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError || unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
		i += size
	}
	return false
}

// Seeds of the hashes of sites: "1" and 1 are two values, and so are "" and none.
const numberSeed, textSeed = 1, 2

// siteOf returns the hash of the value that says which site a page belongs to.
func siteOf(value []byte, isText bool) uint64 {
	if isText {
		return xxh3.HashSeed(value, textSeed)
	}
	return xxh3.HashSeed(value, numberSeed)
}

// keyOf returns what a part of a site is called in a Table.
func keyOf(site, hash uint64) uint64 {
	key := hash ^ (site<<32 | site>>32)
	key = (key ^ key>>30) * 0xbf58476d1ce4e5b9 // SplitMix64
	key = (key ^ key>>27) * 0x94d049bb133111eb
	return max(1, key^key>>31)
}
