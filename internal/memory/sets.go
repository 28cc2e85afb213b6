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

// Sets reads sets of hashes that are too large to keep in memory. The log stores each set with its
// entry, and Sets reads it back for a comparison. An index without a log writes one to an unnamed
// temporary file, once it no longer fits into the log's buffer. The zero value is empty. Only one
// goroutine may use it at a time.
type Sets struct {
	file io.ReaderAt
	temp *unnamedFile // the temporary file, if Sets created it
	log  *Log
	read []uint64 // scratch buffer
	buf  []byte   // scratch buffer
}

// A SetPlace locates the set of an entry in the log: its offset, and the number of its hashes.
type SetPlace uint64

const setBits = 22 // bits of a SetPlace that hold the number of hashes

// MostInSet is the maximum number of hashes of a set.
const MostInSet = 1<<setBits - 1

// PlaceOf returns the SetPlace of a set of at most MostInSet hashes.
func PlaceOf(offset int64, hashes int) SetPlace {
	return SetPlace(uint64(offset)<<setBits | uint64(hashes))
}

func (p SetPlace) offset() int64 { return int64(p >> setBits) }

// Len returns the number of hashes.
func (p SetPlace) Len() int { return int(p & MostInSet) }

// ReadFrom makes sets be read from file. log is the writer of that file; it may be nil.
func (s *Sets) ReadFrom(file io.ReaderAt, log *Log) { s.file, s.log = file, log }

// LogBytes returns the length of the log, or 0 if nothing is written.
func (s *Sets) LogBytes() uint64 {
	if s.log == nil {
		return 0
	}
	return uint64(s.log.At())
}

// TemporaryLog returns a log for sets that is discarded with the index. Its file is in dir, or in
// the system's directory for temporary files if dir is empty.
func (s *Sets) TemporaryLog(dir string) *Log {
	if s.log == nil {
		s.temp = &unnamedFile{dir: dir}
		s.file, s.log = s.temp, framelog.NewTemporary(s.temp)
	}
	return s.log
}

// Of returns the first words of the set at a place. The slice is valid until the next call.
func (s *Sets) Of(at SetPlace, words int) ([]uint64, error) {
	size := 8 * words
	s.buf = slices.Grow(s.buf[:0], size)[:size]
	if unwritten, ok := s.unwritten(at.offset()); ok {
		copy(s.buf, unwritten)
	} else if n, err := s.file.ReadAt(s.buf, at.offset()); n < size {
		return nil, fmt.Errorf("read the set of a record: %w", err)
	}
	s.read = slices.Grow(s.read[:0], words)[:words]
	for i := range s.read {
		s.read[i] = binary.LittleEndian.Uint64(s.buf[8*i:])
	}
	return s.read, nil
}

// unwritten returns the bytes of the log from offset at on, if they are still buffered.
func (s *Sets) unwritten(at int64) (bytes []byte, ok bool) {
	if s.log == nil {
		return nil, false
	}
	return s.log.Unwritten(at)
}

// Close closes the temporary file, if there is one.
func (s *Sets) Close() error {
	if s.temp == nil || s.temp.File == nil {
		return nil
	}
	return s.temp.Close()
}

// An unnamedFile is a temporary file that is created when something is written to it. Nothing is
// read before that.
type unnamedFile struct {
	*os.File
	dir string
}

func (f *unnamedFile) WriteAt(p []byte, at int64) (n int, err error) {
	if f.File == nil {
		if f.File, err = private.Unnamed(f.dir); err != nil {
			return 0, fmt.Errorf("make a file for the sets of shingles: %w", err)
		}
	}
	return f.File.WriteAt(p, at)
}
