package overlap

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/zeebo/xxh3"
)

// spaceWords appends the hashes of the words between white space.
func spaceWords(hashes []uint64, text []byte) []uint64 {
	for i := 0; i < len(text); {
		size := spaceAt(text, i)
		if size > 0 {
			i += size
			continue
		}
		start := i
		for i < len(text) {
			if text[i] < utf8.RuneSelf {
				if isSpace[text[i]] {
					break
				}
				i++
				continue
			}
			r, size := utf8.DecodeRune(text[i:])
			if unicode.IsSpace(r) {
				break
			}
			i += size
		}
		hashes = append(hashes, xxh3.Hash(text[start:i]))
	}
	return hashes
}

// isSpace are the ASCII characters of the property White_Space.
var isSpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// spaceAt is the size of the white space character at text[i:], or 0 if there is another one.
func spaceAt(text []byte, i int) int {
	if text[i] < utf8.RuneSelf {
		if isSpace[text[i]] {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRune(text[i:]); unicode.IsSpace(r) {
		return size
	}
	return 0
}

func isBlank(text []byte) bool {
	for i := 0; i < len(text); {
		size := spaceAt(text, i)
		if size == 0 {
			return false
		}
		i += size
	}
	return true
}

// unicodeWords splits a text at the word boundaries of UAX #29.
type unicodeWords struct {
	iter *words.Iterator[[]byte]
}

func newUnicodeWords() unicodeWords { return unicodeWords{words.FromBytes(nil)} }

// split appends the hashes of all segments that are not white space, punctuation among them.
func (u unicodeWords) split(hashes []uint64, text []byte) []uint64 {
	if isASCII(text) {
		return asciiWords(hashes, text)
	}
	for u.iter.SetText(text); u.iter.Next(); {
		if segment := u.iter.Value(); !isBlank(segment) {
			hashes = append(hashes, xxh3.Hash(segment))
		}
	}
	return hashes
}

func isASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if binary.LittleEndian.Uint64(text)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// What UAX #29 says of the ASCII characters that stand in words: its classes ALetter, Numeric and
// ExtendNumLet, of which none is followed by a boundary within ASCII.
const (
	asciiOther = iota
	asciiLetter
	asciiDigit
	asciiJoin // the underscore
)

var asciiClass = func() (table [256]uint8) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			table[c] = asciiLetter
		case '0' <= c && c <= '9':
			table[c] = asciiDigit
		case c == '_':
			table[c] = asciiJoin
		}
	}
	return table
}()

// asciiWords is split for texts of ASCII alone.
func asciiWords(hashes []uint64, text []byte) []uint64 {
	for i := 0; i < len(text); {
		c := text[i]
		if isSpace[c] {
			i++
			continue
		}
		start := i
		i++
		last := asciiClass[c]
		for last != asciiOther && i < len(text) {
			next := asciiClass[text[i]]
			if next == asciiOther {
				// WB6, WB7: letter × (MidLetter | MidNumLet) × letter; WB11, WB12: the same of
				// digits
				if i+1 == len(text) || asciiClass[text[i+1]] != last || !joins(last, text[i]) {
					break
				}
				i++
			}
			last = asciiClass[text[i]]
			i++
		}
		hashes = append(hashes, xxh3.Hash(text[start:i]))
	}
	return hashes
}

// joins reports whether a character between two of a class belongs to their word.
func joins(class, c uint8) bool {
	switch class {
	case asciiLetter:
		return bytes.IndexByte([]byte("'.:"), c) >= 0
	case asciiDigit:
		return bytes.IndexByte([]byte("'.,;"), c) >= 0
	}
	return false
}
