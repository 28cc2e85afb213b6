package overlap

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/stream"
)

// isSpace marks the ASCII characters with the property White_Space.
var isSpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// spaceAt returns the size of the white space character at text[i:], or 0 for any other character.
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

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

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

// distinct makes each key of a piece a part once.
type distinct struct {
	each func(piece []byte, do func(stream.Key)) // calls do for the keys, in order
	set  keySet
	add  func(stream.Key) // to the set
}

func newDistinct(each func(piece []byte, do func(stream.Key))) *distinct {
	d := &distinct{each: each}
	d.add = d.set.add
	return d
}

func (d *distinct) append(keys []uint64, piece []byte) []uint64 {
	d.set.reset(len(piece))
	d.each(piece, d.add)
	keys = reserve(keys, 2*len(d.set.keys))
	for _, key := range d.set.keys {
		keys = append(keys, key.Hi, key.Lo)
	}
	return keys
}

// characters makes each 1 … n adjacent code points a part.
type characters struct{ n int }

func (c characters) each(piece []byte, do func(stream.Key)) {
	for start := 0; start < len(piece); {
		_, first := utf8.DecodeRune(piece[start:])
		for end, n := start, 0; n < c.n && end < len(piece); n++ {
			_, size := utf8.DecodeRune(piece[end:])
			end += size
			do(xxh3.Hash128(piece[start:end]))
		}
		start += first
	}
}
