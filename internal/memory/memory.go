// Package memory is what all memories have in common that know which record another one resembles:
// of signatures (internal/memory/signatures), fingerprints (internal/memory/fingerprints), vectors
// (internal/memory/vectors) and samples (internal/memory/samples).
//
// An [Index] answers with a [Match]. It counts and writes down by a [Core], to which a [Kind] says
// what is particular: how sketches are compared, and how an entry stands in the log. The other
// memories that a run asks are [Others]; what records are called is in [Names].
package memory

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

var (
	// ErrMemory is the error of a memory that the system gives no more room.
	ErrMemory = offheap.ErrMemory
	// ErrFull is the error of a memory that can remember, or count, no more records.
	ErrFull = errors.New("the index is full")
	// ErrCorrupt says that a log is damaged, shorter than it was, or of another index.
	ErrCorrupt = framelog.ErrCorrupt
	// ErrVersion says that a log is whole, and was written by a newer program.
	ErrVersion = framelog.ErrVersion
	// ErrSize is the error of words that are not whole sketches of the records that are asked
	// about.
	ErrSize = errors.New("sketches of another size than the parameters of the index ask for")
	// ErrUnseenOnly is the error of groups that are asked for UnseenOnly.
	ErrUnseenOnly = errors.New("groups need all records: leave UnseenOnly out")

	errClosed = errors.New("the index is closed")
	errNoLog  = errors.New("the index has no log")
)

// A Match is an earlier record that another one resembles. The zero Match stands for none.
type Match struct {
	Record     uint64  // its number: the first record of a memory has 1
	Similarity float32 // as the kind of the memory measures it, at most 1
	Votes      uint16  // how many bands both have in common, of signatures
	Memory     uint8   // whose record it is: 0 for the memory that is asked, i+1 for number i of Others
	// Contains says that the similarity is the share of that record that is in the other one, which
	// is later; else it is the share of the later one, where a similarity is a share.
	Contains bool
}

// Closer returns the more similar of two matches, the first if they are equal.
func Closer(a, b Match) Match {
	if a.Record == 0 || b.Record != 0 && b.Similarity > a.Similarity {
		return b
	}
	return a
}

// Stats is what a memory has seen and what it takes. What a kind does not have is 0.
type Stats struct {
	Records    uint64 // observed or passed
	Entries    uint64 // sketches that are remembered
	Duplicates uint64 // of the records, those with a match
	Copies     uint64 // of these, records whose sketch was known, which are no entries
	Forgotten  uint64 // bands of entries that were given up, for keys that too many entries have
	Lists      uint64 // in which vectors are
	Bytes      uint64 // of memory
	Sealed     uint64 // of the entries, those on disk
	FileBytes  uint64 // that these take there
	LogBytes   uint64 // of the log, where sets are, if there are sets
}

// Asked is a memory that answers and is not changed. It is for one goroutine at a time.
type Asked interface {
	// Query asks about some records, whose sketches stand one after the other. matches has what
	// other memories have found, or zeroes; a match is replaced if this memory knows a record that
	// is more similar, the earliest of several.
	Query(sketches []uint64, matches []Match) error
	// Near appends to dst the k records that are the most similar to that of a sketch, or fewer,
	// from the most similar on, the earlier of equal ones first. It is not limited to duplicates.
	Near(dst []Match, sketch []uint64, k int) ([]Match, error)
	Stats() Stats
	// Close gives everything back. The memory cannot be used after it.
	Close() error
}

// Remembering is a memory that remembers what it is asked about.
type Remembering interface {
	Asked
	// ObserveBeside is Query for records that are remembered then, one after the other: each is
	// compared with all before it. It returns how many it has observed: all, unless there is an
	// error.
	ObserveBeside(sketches []uint64, matches []Match) (observed int, err error)
	// Observe is ObserveBeside where no other memory has found anything.
	Observe(sketches []uint64, matches []Match) (observed int, err error)
	// Pass counts records that have no sketch.
	Pass(records int)
}

// Index is a Remembering that can have a log. Core has most of it.
type Index interface {
	Remembering
	Load(file LogFile, length int64, notes func(note []byte) error) error
	Read(file io.ReaderAt, length int64, notes func(note []byte) error) error
	Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error,
		known func(record, first uint64)) error
	ReadNumbers(file io.ReaderAt, length int64, notes func(note []byte) error) (Numbers, error)
	Note(note []byte) error
	Sync() (length int64, err error)
}

// Groups joins records that resemble each other: records are in one group if a chain of pairs that
// do leads from one to the other. It is for one goroutine at a time, but for Joining.
type Groups interface {
	// Add adds a record by its sketch.
	Add(sketch []uint64) error
	// Pass adds a record that has no sketch. It is in no group.
	Pass()
	// Find joins what Add has not joined. The methods after it come only after it. It ends soon
	// after ctx is done.
	Find(ctx context.Context) error
	// Joining is the band at hand of those that Find goes through, from 1; 0 if it goes through
	// none.
	Joining() (band, bands int)
	// All iterates over the groups of at least two records, in the order of their first records.
	// Records of a group are numbers from 1, in their order. The slice is good until the next
	// group.
	All() iter.Seq[[]uint64]
	// Similarity is how similar two records are; 0 if one of them has no sketch.
	Similarity(a, b uint64) float32
	// Resemble reports whether two records are as similar as those that are joined: the ends of a
	// chain may not be. It is false if one of them has no sketch.
	Resemble(a, b uint64) bool
	// Split cuts a group into smaller ones whose records all resemble their first one, the leader.
	// The records of the group come in the order in which they are wanted as leaders: each becomes
	// one of those of the first leader that it resembles, or else a leader itself. A leader without
	// others is left out. Of very many leaders only the last ones are compared with.
	Split(records []uint64) ([][]uint64, error)
	// Close gives everything back, and says what could not be read.
	Close() error
}

// Allocate returns zeroed words outside the Go heap, which are given back by offheap.Release.
func Allocate(words uint64) ([]uint64, error) { return offheap.Allocate(words) }
