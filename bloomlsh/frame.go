package bloomlsh

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// The payloads of a log's frames; docs/design/format.md §3 defines them. Package framelog reads and
// writes the frames themselves.

const (
	logHolds = "keys"
	mostKeys = 1 << 20 // bytes of a frame of keys or of a commit

	commitCounts = 7 // numbers at the start of a commit's payload
	// MaxMeta bounds Position.Meta, in bytes.
	MaxMeta = mostKeys - (commitCounts+timeCounts+maxWindows+maxEarlyWords)*8

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

// logHeader is the header of the log of an index with that fingerprint.
func logHeader(print xxh3.Uint128, series uint64) framelog.Header {
	return framelog.Header{Holds: logHolds, Version: 1, Numbers: [3]uint64{print.Hi, print.Lo, series}}
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

// putKeys fills b with keys.
func putKeys(b []byte, keys []Key) {
	for i, key := range keys {
		binary.LittleEndian.PutUint64(b[i*keySize:], key.Hi)
		binary.LittleEndian.PutUint64(b[i*keySize+8:], key.Lo)
	}
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

func decodeCommit(f framelog.Frame) (commit, error) {
	if len(f.Payload) < commitCounts*8 || len(f.Payload)%8 != 0 {
		return commit{}, fmt.Errorf("a commit frame of %d bytes", len(f.Payload))
	}
	var n [commitCounts]uint64
	_, _ = binary.Decode(f.Payload, binary.LittleEndian, n[:]) // there are as many bytes
	meta := f.Payload[commitCounts*8:]
	if n[6] > uint64(len(meta)) {
		return commit{}, fmt.Errorf("a commit frame with %d bytes of opaque data in %d", n[6], len(meta))
	}
	times, err := decodeTimes(meta[(n[6]+7)&^7:])
	if err != nil {
		return commit{}, err
	}
	c := commit{number: f.Number, observed: n[0], duplicates: n[1], inserted: n[2], times: times}
	c.position = Position{Records: n[3], InputBytes: n[4], OutputBytes: n[5]}
	if n[6] > 0 {
		c.position.Meta = append([]byte{}, meta[:n[6]]...)
	}
	return c, nil
}
