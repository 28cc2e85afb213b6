package bloomlsh

import (
	"encoding/binary"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// This file stores filters as the base of an index on disk (index.Base). docs/design/format.md
// defines the format.

// sectionName is the name of the filters in commits.
const sectionName = "filters"

const keySize = 16

// counted holds the counts of an index at a commit.
type counted struct {
	observed, duplicates uint64
	inserted             uint64 // into the current generation
	times                *times // nil unless the index forgets by time
}

// countedOf returns the counts of an index in memory.
func countedOf(x *Index) counted {
	return counted{x.observed, x.duplicates, x.current().inserted, x.times()}
}

func (c counted) append(b []byte) []byte {
	return c.times.append(appendNumbers(b, c.observed, c.duplicates, c.inserted))
}

func decodeCounted(state []byte) (c counted, err error) {
	const counts = 3 * 8
	if len(state) < counts || len(state)%8 != 0 {
		return c, fmt.Errorf("a commit with %d bytes about filters", len(state))
	}
	var n [3]uint64
	_, _ = binary.Decode(state, binary.LittleEndian, n[:]) // cannot fail: the length was checked
	times, err := decodeTimes(state[counts:])
	return counted{n[0], n[1], n[2], times}, err
}

// A storedBase is a generation in a sealed file, and the number of records in it.
type storedBase struct {
	name     index.SealedName
	inserted uint64
}

// A filterSection holds the filters of an index open for writing.
type filterSection struct {
	index  *Index
	writer *index.Writer
	stored map[int]storedBase // by number of the generation
	logged int                // number of the last generation stored in a sealed file or the log
}

// Name implements index.Section.
func (*filterSection) Name() string { return sectionName }

// State implements index.Section.
func (s *filterSection) State() ([]byte, error) {
	c := countedOf(s.index)
	if log := s.writer.Changes(); c.times != nil && log != nil { // a generation opened by a window may be empty
		if err := s.logGenerations(log); err != nil {
			return nil, err
		}
	}
	return c.append(nil), nil
}

// Bytes implements index.Base.
func (s *filterSection) Bytes() uint64 { return s.index.bytes() }

// Fold implements index.Base. It writes each generation that has changed.
func (s *filterSection) Fold(to *index.Folding) (names []index.SealedName, err error) {
	stored, logged := map[int]storedBase{}, 0
	for i, g := range s.index.generations {
		if s.index.observed == 0 {
			break // a new index: nothing to store
		}
		logged = s.index.number(i)
		base, ok := s.stored[logged]
		if !ok || base.inserted != g.inserted {
			header, words := sealedGeneration(logged, g)
			if base.name, err = to.Write(logged, header, words); err != nil {
				return nil, err
			}
			base.inserted = g.inserted
		}
		names = append(names, base.name)
		stored[logged] = base
	}
	s.stored, s.logged = stored, logged
	return names, nil
}

// spill writes a generation to a sealed file that the next fold will name.
func (s *filterSection) spill(number int, g *generation) (*baseFile, error) {
	base, ok := s.stored[number]
	if !ok || base.inserted != g.inserted {
		base = storedBase{inserted: g.inserted}
	}
	name, file, err := s.writer.Spill(number, base.name, func() (header, body []byte) {
		return sealedGeneration(number, g)
	})
	if err != nil {
		return nil, err
	}
	base.name = name
	s.stored[number] = base
	return &baseFile{SealedFile: file, generation: number, inserted: g.inserted, geometry: g.geometry}, nil
}

// logGenerations logs the generations opened since it was last called.
func (s *filterSection) logGenerations(log *index.Changes) error {
	for s.logged < s.index.number(len(s.index.generations))-1 {
		if err := log.Begin(appendGeneration(nil, s.logged+1, s.index.geometryOf(s.logged))); err != nil {
			return err
		}
		s.logged++
	}
	return nil
}

// logKeys logs the keys of a record that changed the index.
func (s *filterSection) logKeys(keys []Key) error {
	log := s.writer.Changes()
	if log == nil {
		return nil
	}
	err := s.logGenerations(log)
	if err == nil {
		var entry []byte
		if entry, err = log.Entry(len(keys) * keySize); err == nil {
			putKeys(entry, keys)
		}
	}
	return s.writer.Changed(err)
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
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
	_, _ = binary.Decode(payload, binary.LittleEndian, n[:]) // cannot fail: the length was checked
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
