package overlap

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

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

// distinct makes each key of a parter a part once for each piece.
type distinct struct {
	parter
	set keySet
}

func (d *distinct) append(keys []uint64, piece []byte) []uint64 {
	before := len(keys)
	keys = d.parter.append(keys, piece)
	d.set.reset((len(keys) - before) / 2)
	for _, key := range stream.KeysOf(keys[before:]) {
		d.set.add(key)
	}
	keys = keys[:before]
	for _, key := range d.set.keys {
		keys = append(keys, key.Hi, key.Lo)
	}
	return keys
}

// characters makes each 1 … n adjacent code points a part.
type characters struct{ n int }

func (c characters) append(keys []uint64, piece []byte) []uint64 {
	for start := 0; start < len(piece); {
		_, first := utf8.DecodeRune(piece[start:])
		for end, n := start, 0; n < c.n && end < len(piece); n++ {
			_, size := utf8.DecodeRune(piece[end:])
			end += size
			keys = keyOf(keys, piece[start:end])
		}
		start += first
	}
	return keys
}
