package bloomlsh

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

// The frames of a log; docs/design/format.md §3 defines them.

const (
	logMagic      = "mithlog\x00"
	logHeaderSize = 64

	frameMagic      = "fram"
	frameHeaderSize = 24
	frameOverhead   = frameHeaderSize + 8
	maxPayload      = 1 << 20

	kindGeneration = 1
	kindKeys       = 2
	kindCommit     = 3
	kindPrepared   = 4 // a commit that another system decides about

	commitCounts = 7 // numbers at the start of a commit's payload
	// MaxMeta bounds Position.Meta, in bytes.
	MaxMeta = maxPayload - (commitCounts+timeCounts+maxWindows)*8

	keySize = 16
)

// Position is how far a run has come. The index keeps the last committed one, and gives it no
// meaning.
type Position struct {
	Records     uint64 // read
	InputBytes  uint64 // of the records read
	OutputBytes uint64 // written and flushed
	Meta        []byte // anything else that a run needs to go on, as the offsets of a Kafka consumer
}

func (p Position) check() error {
	if len(p.Meta) > MaxMeta {
		return fmt.Errorf("%d bytes of opaque data in a position: at most %d are possible", len(p.Meta), MaxMeta)
	}
	return nil
}

// commit is the state of an index at a commit.
type commit struct {
	number               uint64
	observed, duplicates uint64
	inserted             uint64 // into the current generation
	position             Position
	times                *times // set only if the index forgets by times
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func encodeLogHeader(print xxh3.Uint128, series uint64) []byte {
	b := make([]byte, 0, logHeaderSize)
	b = append(b, logMagic...)
	b = binary.LittleEndian.AppendUint64(b, formatVersion)
	b = appendNumbers(b, print.Hi, print.Lo, series, 0, 0)
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
}

// checkLogHeader compares a header with the one that it must be.
func checkLogHeader(b []byte, print xxh3.Uint128, series uint64) error {
	want := encodeLogHeader(print, series)
	switch {
	case len(b) != logHeaderSize || string(b[:8]) != logMagic:
		return fmt.Errorf("it does not begin as a log")
	case binary.LittleEndian.Uint32(b[8:]) != formatVersion:
		return fmt.Errorf("%w: it is %d, this program knows %d: use a newer program", ErrVersion,
			binary.LittleEndian.Uint32(b[8:]), formatVersion)
	case binary.LittleEndian.Uint64(b[56:]) != xxh3.Hash(b[:56]):
		return fmt.Errorf("the checksum of its header is wrong")
	case string(b) != string(want):
		return fmt.Errorf("it is of another index, or another log of this one")
	}
	return nil
}

// beginFrame appends a frame's header, whose length is not yet known.
func beginFrame(b []byte, kind uint32, number uint64) []byte {
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint64(b, number)
	return binary.LittleEndian.AppendUint64(b, 0)
}

// endFrame completes the frame that begins at b[start:], which will be at the given offset of the
// file.
func endFrame(b []byte, start int, offset int64) []byte {
	for len(b)%8 != start%8 {
		b = append(b, 0)
	}
	binary.LittleEndian.PutUint32(b[start+16:], uint32(len(b)-start-frameHeaderSize))
	return binary.LittleEndian.AppendUint64(b, xxh3.HashSeed(b[start:], uint64(offset)))
}

// frame is one good frame.
type frame struct {
	offset  int64 // in the file
	kind    uint32
	number  uint64 // of the commit that it is part of
	payload []byte
}

// end is the offset after the frame.
func (f frame) end() int64 { return f.offset + int64(len(f.payload)) + frameOverhead }

// frameLength returns the length of the frame that b begins with, if it may be one and has at most
// limit bytes.
func frameLength(b []byte, limit int64) (length int, ok bool) {
	if len(b) < frameOverhead || string(b[:4]) != frameMagic {
		return 0, false
	}
	payload := binary.LittleEndian.Uint32(b[16:])
	if payload > maxPayload || payload%8 != 0 || int64(payload)+frameOverhead > limit {
		return 0, false
	}
	return int(payload) + frameOverhead, true
}

// decodeFrame checks b, which is one frame by its length.
func decodeFrame(b []byte, offset int64) (f frame, ok bool) {
	end := len(b) - 8
	if binary.LittleEndian.Uint64(b[end:]) != xxh3.HashSeed(b[:end], uint64(offset)) {
		return f, false
	}
	f = frame{offset, binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint64(b[8:]), b[frameHeaderSize:end]}
	return f, f.kind >= kindGeneration && binary.LittleEndian.Uint32(b[20:]) == 0
}

func appendGeneration(b []byte, generation int, g geometry) []byte {
	return appendNumbers(b, uint64(generation), g.capacity, uint64(filterCodes[g.filter]), uint64(g.bands),
		uint64(g.probes), g.bandWords)
}

func decodeGeneration(payload []byte) (generation uint64, g geometry, err error) {
	if len(payload) != 6*8 {
		return 0, g, fmt.Errorf("a generation frame of %d bytes", len(payload))
	}
	var n [6]uint64
	_, _ = binary.Decode(payload, binary.LittleEndian, n[:]) // there are as many bytes
	return n[0], geometry{capacity: n[1], filter: filterOfCode(n[2]), bands: int(n[3]), probes: int(n[4]),
		bandWords: n[5]}, nil
}

func appendKeys(b []byte, keys []Key) []byte {
	for _, key := range keys {
		b = appendNumbers(b, key.Hi, key.Lo)
	}
	return b
}

// decodeKeys fills keys from the start of a payload.
func decodeKeys(payload []byte, keys []Key) {
	for i := range keys {
		keys[i] = Key{Hi: binary.LittleEndian.Uint64(payload[i*keySize:]),
			Lo: binary.LittleEndian.Uint64(payload[i*keySize+8:])}
	}
}

func appendCommit(b []byte, c commit) []byte {
	p := c.position
	b = appendNumbers(b, c.observed, c.duplicates, c.inserted, p.Records, p.InputBytes, p.OutputBytes,
		uint64(len(p.Meta)))
	b = append(b, p.Meta...)
	for range -len(p.Meta) & 7 {
		b = append(b, 0)
	}
	return c.times.append(b)
}

func decodeCommit(f frame) (commit, error) {
	if len(f.payload) < commitCounts*8 {
		return commit{}, fmt.Errorf("a commit frame of %d bytes", len(f.payload))
	}
	var n [commitCounts]uint64
	_, _ = binary.Decode(f.payload, binary.LittleEndian, n[:]) // there are as many bytes
	meta := f.payload[commitCounts*8:]
	if n[6] > uint64(len(meta)) {
		return commit{}, fmt.Errorf("a commit frame with %d bytes of opaque data in %d", n[6], len(meta))
	}
	times, err := decodeTimes(meta[(n[6]+7)&^7:])
	if err != nil {
		return commit{}, err
	}
	c := commit{number: f.number, observed: n[0], duplicates: n[1], inserted: n[2], times: times}
	c.position = Position{Records: n[3], InputBytes: n[4], OutputBytes: n[5]}
	if n[6] > 0 {
		c.position.Meta = append([]byte{}, meta[:n[6]]...)
	}
	return c, nil
}
