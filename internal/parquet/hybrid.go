package parquet

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

var errDamaged = errors.New("its data does not decode")

// hybrid decodes the encoding RLE: runs of one value, and runs of values of width bits, packed from
// the least significant bit.
type hybrid struct {
	src   []byte
	width int
	value uint32 // of a run of one value
	left  uint64 // values left in the current run
	pack  []byte // of a packed run; nil in the other kind
	bit   int    // where the next value begins in pack
}

func newHybrid(src []byte, width int) hybrid { return hybrid{src: src, width: width} }

func (h *hybrid) next() (uint32, error) {
	for h.left == 0 {
		if err := h.begin(); err != nil {
			return 0, err
		}
	}
	h.left--
	if h.pack == nil {
		return h.value, nil
	}
	v := unpack(h.pack, h.bit, h.width)
	h.bit += h.width
	return uint32(v), nil
}

// begin reads the header of the next run.
func (h *hybrid) begin() error {
	head, n := binary.Uvarint(h.src)
	if n <= 0 {
		return errDamaged
	}
	h.src = h.src[n:]
	if head&1 == 0 {
		size := (h.width + 7) / 8
		if len(h.src) < size {
			return errDamaged
		}
		h.value = 0
		for i, b := range h.src[:size] {
			h.value |= uint32(b) << (8 * i)
		}
		if h.width < 32 && h.value>>h.width != 0 {
			return errDamaged
		}
		h.src, h.left, h.pack = h.src[size:], head>>1, nil
		return nil
	}
	groups := head >> 1
	if h.width == 0 { // values of no bits are all zero, however many
		h.value, h.left, h.pack = 0, groups*8, nil
		return nil
	}
	// the last run may end with its last value
	size := min(groups*uint64(h.width), uint64(len(h.src)))
	h.pack, h.src, h.bit = h.src[:size], h.src[size:], 0
	h.left = min(size*8/uint64(h.width), groups*8)
	return nil
}

// unpack returns the value of width bits, at most 64, that begins at a bit. Bits after the end of
// src are zero.
func unpack(src []byte, bit, width int) uint64 {
	at, shift := bit/8, bit%8
	var v uint64
	if at+8 <= len(src) {
		v = binary.LittleEndian.Uint64(src[at:]) >> shift
	} else {
		for i := at; i < len(src); i++ {
			v |= uint64(src[i]) << (8 * (i - at))
		}
		v >>= shift
	}
	if shift+width > 64 && at+8 < len(src) {
		v |= uint64(src[at+8]) << (64 - shift)
	}
	if width == 64 {
		return v
	}
	return v & (1<<width - 1)
}

// widthOf returns the number of bits for numbers up to n.
func widthOf(n int) int { return bits.Len(uint(n)) }

// appendHybrid encodes values of width bits: eight or more equal ones as a run, all others packed.
func appendHybrid[V uint8 | uint32](dst []byte, values []V, width int) []byte {
	for i := 0; i < len(values); {
		if n := runLength(values[i:]); n >= 8 {
			dst = binary.AppendUvarint(dst, uint64(n)<<1)
			for b := 0; b < width; b += 8 {
				dst = append(dst, byte(values[i]>>b))
			}
			i += n
			continue
		}
		end := i
		for end < len(values) && runLength(values[end:min(end+8, len(values))]) < 8 {
			end = min(end+8, len(values))
		}
		dst = appendPacked(dst, values[i:end], width)
		i = end
	}
	return dst
}

func runLength[V uint8 | uint32](values []V) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// appendPacked encodes a packed run. It consists of groups of eight, padded with zeros.
func appendPacked[V uint8 | uint32](dst []byte, values []V, width int) []byte {
	groups := (len(values) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	var acc uint64
	have := 0
	for i := range groups * 8 {
		if i < len(values) {
			acc |= uint64(values[i]) << have
		}
		for have += width; have >= 8; have -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	return dst
}

// packedLevels decodes the deprecated encoding BIT_PACKED: values of width bits, from the most
// significant bit.
type packedLevels struct {
	src   []byte
	width int
	bit   int
}

func (p *packedLevels) next() (uint32, error) {
	var v uint32
	for range p.width {
		at := p.bit / 8
		if at >= len(p.src) {
			return 0, errDamaged
		}
		v = v<<1 | uint32(p.src[at]>>(7-p.bit%8)&1)
		p.bit++
	}
	return v, nil
}
