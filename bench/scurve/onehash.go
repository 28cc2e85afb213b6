package main

import (
	"bytes"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/zeebo/xxh3"
)

// oneHash is what the sketch is called whose slots are lo + i·hi of one hash of 128 bits a shingle.
// The values of a shingle in two slots depend on each other, so that slots do, and bands with them.
const oneHash = "one-hash"

// oneHashed makes band keys of such signatures, of the words between spaces.
type oneHashed struct {
	sketch.Params
	slots []uint64
}

// BandKeys appends the keys of a text.
func (s *oneHashed) BandKeys(dst []xxh3.Uint128, text []byte) (keys []xxh3.Uint128, ok bool) {
	for i := range s.slots {
		s.slots[i] = ^uint64(0)
	}
	for word := range bytes.FieldsSeq(text) {
		h := xxh3.Hash128(word)
		value := h.Lo
		for i := range s.slots {
			s.slots[i] = min(s.slots[i], value)
			value += h.Hi
		}
	}
	for band := range s.Bands {
		slots := s.slots[band*s.Rows : (band+1)*s.Rows]
		dst = append(dst, xxh3.Hash128(unsafe.Slice((*byte)(unsafe.Pointer(&slots[0])), 8*len(slots))))
	}
	return dst, len(text) > 0
}
