package compress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"math"
)

// An xzBlock is a block of an xz stream: what its header says, and what was read.
type xzBlock struct {
	head int   // bytes of the header
	dict int64 // bytes of its dictionary
	// bytes of its chunks, compressed and decompressed; -1 if unknown
	wantCompressed, wantHolds int64
	compressed, holds         int64
}

// parseXZBlock parses the header of a block (§3.1).
func parseXZBlock(head []byte) (b xzBlock, err error) {
	rest := head[1 : len(head)-4]
	if crc32.ChecksumIEEE(head[:len(head)-4]) != binary.LittleEndian.Uint32(head[len(head)-4:]) {
		return b, errXZ
	}
	b = xzBlock{head: len(head), wantCompressed: -1, wantHolds: -1}
	flags := rest[0]
	rest = rest[1:]
	number := func() int64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 || v > math.MaxInt64 {
			err = errXZ
			return -1
		}
		rest = rest[n:]
		return int64(v)
	}
	if flags&0x40 != 0 {
		b.wantCompressed = number()
	}
	if flags&0x80 != 0 {
		b.wantHolds = number()
	}
	if err != nil {
		return b, err
	}
	const lzma2, mostBits = 0x21, 40
	if flags&0x3f != 0 || len(rest) < 3 || rest[0] != lzma2 || rest[1] != 1 {
		return b, errors.New("it is encoded in a way other than LZMA2 alone: write it anew without filters")
	}
	bits := rest[2]
	if bits > mostBits {
		return b, errXZ
	}
	b.dict = int64(2|bits&1) << (bits/2 + 11)
	for _, c := range rest[3:] {
		if c != 0 {
			return b, errXZ
		}
	}
	return b, nil
}

// An xzChunk reads one chunk of LZMA2 for the decoder: its header, and then its bytes from the
// source.
type xzChunk struct {
	src        *bufio.Reader
	head       []byte
	scratch    [6]byte
	compressed int // bytes of the chunk left in the source
	holds      int // bytes of its contents
}

// begin reads the header of a chunk. more is false after the last one.
func (c *xzChunk) begin(src *bufio.Reader) (more bool, err error) {
	c.src = src
	if c.scratch[0], err = src.ReadByte(); err != nil {
		return false, unexpected(err)
	}
	control, size := c.scratch[0], 3
	switch {
	case control == 0:
		return false, nil
	case control >= 0xc0: // with properties
		size = 6
	case control >= 0x80:
		size = 5
	case control > 2:
		return false, errXZ
	}
	c.head = c.scratch[:size]
	if _, err = io.ReadFull(src, c.head[1:]); err != nil {
		return false, unexpected(err)
	}
	c.holds = int(binary.BigEndian.Uint16(c.head[1:])) + 1
	c.compressed = c.holds
	if size > 3 {
		c.holds += int(control&0x1f) << 16
		c.compressed = int(binary.BigEndian.Uint16(c.head[3:])) + 1
	}
	return true, nil
}

// Read reads from the chunk.
func (c *xzChunk) Read(p []byte) (n int, err error) {
	switch {
	case len(c.head) > 0:
		n = copy(p, c.head)
		c.head = c.head[n:]
	case c.compressed == 0:
		return 0, io.EOF
	default:
		n, err = c.src.Read(p[:min(len(p), c.compressed)])
		c.compressed -= n
		err = unexpected(err)
	}
	return n, err
}

// An xzIndex checks the index of a stream against the sizes of its blocks. It keeps only a hash and
// their sum, since the number of blocks is not limited.
type xzIndex struct {
	count uint64
	sizes hash.Hash64
}

func newXZIndex() xzIndex { return xzIndex{sizes: crc64.New(crc64ECMA())} }

func (x *xzIndex) add(unpadded, holds uint64) {
	x.count++
	x.sizes.Write(binary.AppendUvarint(binary.AppendUvarint(nil, unpadded), holds))
}

// compare reads an index without its first byte, 0, compares it with the blocks, and returns its
// size (§4).
func (x *xzIndex) compare(src *bufio.Reader) (size int64, err error) {
	sum, found := crc32.NewIEEE(), newXZIndex()
	sum.Write([]byte{0})
	size = 1
	var one [1]byte
	number := func() (uint64, error) {
		for v, shift := uint64(0), 0; shift < 63; shift += 7 {
			if one[0], err = src.ReadByte(); err != nil {
				return 0, unexpected(err)
			}
			sum.Write(one[:])
			size++
			if v |= uint64(one[0]&0x7f) << shift; one[0] < 0x80 {
				return v, nil
			}
		}
		return 0, errXZ
	}
	count, err := number()
	if err != nil {
		return 0, err
	}
	if count != x.count {
		return 0, errXZ
	}
	for range count {
		unpadded, err := number()
		if err != nil {
			return 0, err
		}
		holds, err := number()
		if err != nil {
			return 0, err
		}
		found.add(unpadded, holds)
	}
	if found.sizes.Sum64() != x.sizes.Sum64() {
		return 0, errXZ
	}
	for ; size%4 != 0; size++ {
		if one[0], err = src.ReadByte(); err != nil || one[0] != 0 {
			return 0, errors.Join(unexpected(err), errXZ)
		}
		sum.Write(one[:])
	}
	var stored [4]byte
	if _, err := io.ReadFull(src, stored[:]); err != nil {
		return 0, unexpected(err)
	}
	if binary.LittleEndian.Uint32(stored[:]) != sum.Sum32() {
		return 0, errors.New("wrong checksum of the index")
	}
	return size + 4, nil
}
