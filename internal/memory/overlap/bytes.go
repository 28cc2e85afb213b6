package overlap

import (
	"encoding/binary"
	"unsafe"
)

// AppendBytes appends text as words of a sketch, of which the last one is filled up with zeros.
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

// BytesOf views words that AppendBytes has appended as the text of that length.
func BytesOf(words []uint64, length int) []byte {
	if length == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), length)
}
