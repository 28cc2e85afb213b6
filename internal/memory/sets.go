package memory

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/private"
)

// Sets are sets of hashes that are too long for memory: they are in the log, each with its entry,
// and read from there when they are compared. An index without a log of its own makes one, in a
// file without a name. The zero value has none yet. It is for one goroutine at a time.
type Sets struct {
	file io.ReaderAt
	temp *os.File // the file, if it was made here
	log  *Log
	read []uint64 // scratch
	buf  []byte   // scratch
}

// A SetPlace says where in the log the set of an entry is: the offset of its first hash, and how
// many there are.
type SetPlace uint64

const setBits = 22 // of a SetPlace that are the number of hashes

// MostInSet is how many hashes a set may have.
const MostInSet = 1<<setBits - 1

// PlaceOf is the place of a set of at most MostInSet hashes.
func PlaceOf(offset int64, hashes int) SetPlace {
	return SetPlace(uint64(offset)<<setBits | uint64(hashes))
}

func (p SetPlace) offset() int64 { return int64(p >> setBits) }

// Len is how many hashes there are.
func (p SetPlace) Len() int { return int(p & MostInSet) }

// ReadFrom has sets read from a file, to which log, unless it is nil, is written.
func (s *Sets) ReadFrom(file io.ReaderAt, log *Log) { s.file, s.log = file, log }

// LogBytes is how long the log is; 0 if nothing is written.
func (s *Sets) LogBytes() uint64 {
	if s.log == nil {
		return 0
	}
	return uint64(s.log.At())
}

// TemporaryLog returns a log for sets that ends with the index: it is made for the first of them,
// in a directory, or where the system keeps temporary files if that is empty.
func (s *Sets) TemporaryLog(dir string) (*Log, error) {
	if s.log != nil {
		return s.log, nil
	}
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("make a file for the sets of shingles: %w", err)
	}
	s.file, s.temp, s.log = file, file, framelog.NewTemporary(file)
	return s.log, nil
}

// Of returns the set at a place; it is good until the next one is asked for.
func (s *Sets) Of(at SetPlace) ([]uint64, error) {
	size := 8 * at.Len()
	s.buf = slices.Grow(s.buf[:0], size)[:size]
	if unwritten, ok := s.unwritten(at.offset()); ok {
		copy(s.buf, unwritten)
	} else if n, err := s.file.ReadAt(s.buf, at.offset()); n < size {
		return nil, fmt.Errorf("read the set of a record: %w", err)
	}
	s.read = slices.Grow(s.read[:0], at.Len())[:at.Len()]
	for i := range s.read {
		s.read[i] = binary.LittleEndian.Uint64(s.buf[8*i:])
	}
	return s.read, nil
}

// unwritten is what is from an offset of the log on, if that is not in the file yet.
func (s *Sets) unwritten(at int64) (bytes []byte, ok bool) {
	if s.log == nil {
		return nil, false
	}
	return s.log.Unwritten(at)
}

// Close gives back the file that was made.
func (s *Sets) Close() error {
	if s.temp == nil {
		return nil
	}
	return s.temp.Close()
}
