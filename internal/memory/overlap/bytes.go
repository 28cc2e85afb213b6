package overlap

import (
	"encoding/binary"
	"unsafe"
)

// AppendBytes appends text as words of a sketch; the last one is padded with zeros.
func AppendBytes(dst []uint64, text []byte) []uint64 {
	for len(text) >= 8 {
		dst = append(dst, binary.NativeEndian.Uint64(text))
		text = text[8:]
	}
	if len(text) > 0 {
		var last [8]byte
		copy(last[:], text)
		dst = append(dst, binary.NativeEndian.Uint64(last[:]))
	}
	return dst
}

// BytesOf returns the text of that length in words that AppendBytes has appended.
func BytesOf(words []uint64, length int) []byte {
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), length)
}
