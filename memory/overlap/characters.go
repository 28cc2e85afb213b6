package overlap

import (
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/stream"
)

// distinct makes a part of each key that a parter makes, once for each piece.
type distinct struct {
	parter
	set keySet
}

func (d *distinct) append(keys []uint64, piece []byte) []uint64 {
	before := len(keys)
	keys = d.parter.append(keys, piece)
	d.set.reset((len(keys) - before) / 2)
	for _, key := range stream.KeysOf(keys[before:]) {
		if !d.set.has(key) {
			d.set.add(key)
		}
	}
	keys = keys[:before]
	for _, key := range d.set.keys {
		keys = append(keys, key.Hi, key.Lo)
	}
	return keys
}

// characters makes a part of each 1 … n neighbouring code points.
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
