package signatures

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Sets of shingles are what a signature stands for, and some twenty times as long. They are in the
// log, each with its entry, and read from there when a candidate has to be verified. An index
// without a log of its own makes one, in a file without a name.

// A setPlace says where in the log the set of an entry is: the offset of its first hash, and how
// many there are.
type setPlace uint64

const setBits = 22 // of a setPlace that are the number of hashes

func placeOf(offset int64, set []uint64) setPlace {
	return setPlace(uint64(offset)<<setBits | uint64(len(set)))
}

func (p setPlace) offset() int64 { return int64(p >> setBits) }

func (p setPlace) len() int { return int(p & sketch.MaxSet) }

// sets reads those of entries, and has that of the record at hand.
type sets struct {
	file     io.ReaderAt
	temp     *os.File // the file, if the index has made it
	log      *memory.Log
	own      []uint64 // of the record at hand
	restored setPlace // of the entry that is read from a log
	loaded   []uint64 // scratch of cut
	read     []uint64 // scratch of setOf
	buf      []byte   // scratch
}

// temporaryLog returns a log for sets that ends with the index: it is made for the first of them.
func (s *sets) temporaryLog(dir string) (*memory.Log, error) {
	if s.log != nil {
		return s.log, nil
	}
	file, err := os.CreateTemp(dir, ".mithril-sets-*")
	if err == nil {
		err = os.Remove(file.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("make a file for the sets of shingles: %w", err)
	}
	s.file, s.temp, s.log = file, file, framelog.NewTemporary(file)
	return s.log, nil
}

// setOf returns the set of an entry; it is good until the next one is asked for.
func (x *Index) setOf(entry uint32) ([]uint64, error) {
	s, at := &x.sets, x.entries.setAt(entry)
	size := 8 * at.len()
	s.buf = slices.Grow(s.buf[:0], size)[:size]
	if unwritten, ok := s.unwritten(at.offset()); ok {
		copy(s.buf, unwritten)
	} else if n, err := s.file.ReadAt(s.buf, at.offset()); n < size {
		return nil, fmt.Errorf("read the set of a record: %w", err)
	}
	s.read = slices.Grow(s.read[:0], at.len())[:at.len()]
	for i := range s.read {
		s.read[i] = binary.LittleEndian.Uint64(s.buf[8*i:])
	}
	return s.read, nil
}

// unwritten is what is from an offset of the log on, if that is not in the file yet.
func (s *sets) unwritten(at int64) (bytes []byte, ok bool) {
	if s.log == nil {
		return nil, false
	}
	return s.log.Unwritten(at)
}

// jaccard is the similarity of the record at hand and an entry with which it has so many slots in
// common: exact, unless one of them has too many shingles for a set.
func (x *Index) jaccard(c candidate) (float64, error) {
	if len(x.sets.own) == 0 || x.entries.setAt(c.entry).len() == 0 {
		return x.params.similarity(c.agree), nil
	}
	set, err := x.setOf(c.entry)
	return sketch.JaccardOfSets(x.sets.own, set), err
}

// bestOfSets is best of an index with sets. Candidates whose signatures say that they are far from
// the threshold are not read.
func (x *Index) bestOfSets() (best memory.Match, isCopy bool, err error) {
	least := x.params.plausible()
	most := -1.
	for _, c := range x.candidates() {
		if c.votes < x.params.Votes || c.agree < least {
			continue
		}
		similarity, err := x.jaccard(c)
		if err != nil {
			return best, false, err
		}
		if similarity > most && similarity >= x.params.Threshold {
			most = similarity
			best = x.match(c)
			best.Similarity = float32(similarity)
		}
		if similarity == 1 && c.agree == x.params.NumPerm { // what is equal to it is one entry, the first
			return best, true, nil
		}
	}
	return best, false, nil
}

func (s *sets) close() error {
	if s.temp == nil {
		return nil
	}
	return s.temp.Close()
}

// sizeOf is how many words the first of some sketches has. It may be more than there are.
func (p Params) sizeOf(sketches []uint64) int {
	size := p.SketchWords()
	switch {
	case !p.Sets:
		return size
	case len(sketches) <= size:
		return size + 1
	}
	return size + 1 + int(min(sketches[size], maxSketch))
}

const maxSketch = sketch.MaxSet + 1 // one more than there may be

// check refuses sketches that are not those of so many records.
func (p Params) check(sketches []uint64, records int) error {
	for range records {
		size := p.sizeOf(sketches)
		if len(sketches) < size {
			return memory.ErrSize
		}
		sketches = sketches[size:]
	}
	if len(sketches) > 0 {
		return memory.ErrSize
	}
	return nil
}

// cut makes the set that a payload begins with, from an offset of the log on, that of the record at
// hand, and returns what is after it.
func (s *sets) cut(payload []byte, at int64) (rest []byte, ok bool) {
	if len(payload) < 8 {
		return nil, false
	}
	count := binary.LittleEndian.Uint64(payload)
	if count > sketch.MaxSet || 8*count > uint64(len(payload)-8) {
		return nil, false
	}
	payload = payload[8:]
	s.restored = setPlace(uint64(at+8)<<setBits | count)
	s.loaded = slices.Grow(s.loaded[:0], int(count))[:count]
	for i := range s.loaded {
		s.loaded[i] = binary.LittleEndian.Uint64(payload[8*i:])
	}
	s.own = s.loaded
	return payload[8*count:], true
}
