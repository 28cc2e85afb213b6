// Package memory defines what memories that know the original of a duplicate have in common: those
// of signatures (internal/memory/signatures), fingerprints (internal/memory/fingerprints), vectors
// (internal/memory/vectors) and samples (internal/memory/samples).
//
// An [Index] answers a query with a [Match]. It embeds a [Core], which counts and logs, and
// provides a [Kind], which compares sketches and encodes entries. A run may ask several memories
// ([Others]), and [Names] maps record numbers to names.
package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

var (
	// ErrMemory is returned if the system refuses to allocate memory.
	ErrMemory = offheap.ErrMemory
	// ErrFull is returned if the memory cannot remember or count another record.
	ErrFull = errors.New("the index is full")
	// ErrCorrupt is returned if a log is damaged, too short, or belongs to another index.
	ErrCorrupt = framelog.ErrCorrupt
	// ErrVersion is returned if a log was written by a newer version of the program.
	ErrVersion = framelog.ErrVersion
	// ErrSize is returned if the words passed in are not whole sketches of the given records.
	ErrSize = errors.New("sketches of another size than the parameters of the index ask for")
	// ErrUnseenOnly is returned by groups whose parameters ask for UnseenOnly.
	ErrUnseenOnly = errors.New("groups need all records: leave UnseenOnly out")

	errClosed = errors.New("the index is closed")
	errNoLog  = errors.New("the index has no log")
)

// A Match is an earlier record that resembles another. The zero Match means none.
type Match struct {
	Record     uint64  // number of the record; the first record of a memory is 1
	Similarity float32 // at most 1, as the memory measures it
	Votes      uint16  // number of common bands, for signatures
	Memory     uint8   // the memory that holds the record: 0 for the one queried, i+1 for Others[i]
	// Contains reports which way a share was measured: if true, Similarity is the share of the
	// earlier record that the later one contains; if false, the share of the later record that the
	// earlier one contains.
	Contains bool
}

// Closer returns the more similar match, or a if they are equally similar.
func Closer(a, b Match) Match {
	if a.Record == 0 || b.Record != 0 && b.Similarity > a.Similarity {
		return b
	}
	return a
}

// Stats describes the contents and the size of a memory. Fields that do not apply to a kind are 0.
type Stats struct {
	Records    uint64 // observed or passed
	Entries    uint64 // remembered sketches
	Duplicates uint64 // records with a match
	Copies     uint64 // duplicates whose sketch was already known; they have no entry
	Forgotten  uint64 // bands of entries dropped because too many entries share a key
	Cut        uint64 // records without a match that had more candidates than are compared
	Lists      uint64 // inverted lists of vectors
	Bytes      uint64 // memory in use
	Sealed     uint64 // entries on disk
	FileBytes  uint64 // size of the sealed entries on disk
	LogBytes   uint64 // size of the log if it holds sets, else 0
}

// Searcher is a memory that answers queries and does not change. Only one goroutine may use it at a
// time.
type Searcher interface {
	// Query looks up records, whose sketches are concatenated. matches holds the results of other
	// memories, or zeroes; Query replaces a match if this memory has a more similar record, the
	// earliest if several are equal.
	Query(sketches []uint64, matches []Match) error
	// Near appends to dst the k records most similar to sketch, or fewer, in descending order of
	// similarity and then in the order of records. It is not limited to duplicates.
	Near(dst []Match, sketch []uint64, k int) ([]Match, error)
	Stats() Stats
	// Close releases all resources. The memory must not be used afterwards.
	Close() error
}

// AppendDuplicates appends to dst all records that make a sketch a duplicate, most similar first,
// if the memory can list them.
func AppendDuplicates(x Searcher, dst []Match, words []uint64) ([]Match, error) {
	of, ok := x.(interface {
		AppendDuplicates(dst []Match, words []uint64) ([]Match, error)
	})
	if !ok {
		return dst, fmt.Errorf("all that a record resembles is known to signatures and samples only, not to %T", x)
	}
	return of.AppendDuplicates(dst, words)
}

// CompareAll sets whether Near and AppendDuplicates find all records, even where the tables of a
// memory list only some of those that share a key. It has no effect on memories that cannot find
// more.
func CompareAll(x Searcher, all bool) {
	if of, ok := x.(interface{ CompareAll(all bool) }); ok {
		of.CompareAll(all)
	}
}

// Remembering is a memory that also remembers the records that it looks up.
type Remembering interface {
	Searcher
	// ObserveBeside is like Query, and then remembers the records, one after the other, so that
	// each is compared with all before it. It returns the number of records observed, which is less
	// than len(matches) only if err is not nil.
	ObserveBeside(sketches []uint64, matches []Match) (observed int, err error)
	// Observe is ObserveBeside without results of other memories.
	Observe(sketches []uint64, matches []Match) (observed int, err error)
	// Pass counts records that have no sketch.
	Pass(records int)
	// HasForgotten reports whether a record of an earlier run was deleted.
	HasForgotten(record uint64) bool
}

// Index is a Remembering with an optional log. Core implements most of it.
type Index interface {
	Remembering
	// Enter remembers and counts a record, whatever it resembles, and does not count it as a
	// duplicate.
	Enter(sketch []uint64) error
	Load(file LogFile, length int64, notes func(note []byte) error) error
	Read(file io.ReaderAt, length int64, notes func(note []byte) error) error
	Absorb(file io.ReaderAt, length int64, notes func(note []byte, shift uint64) error,
		known func(record, first uint64)) error
	ReadNumbers(file io.ReaderAt, length int64, notes func(note []byte) error) (Numbers, error)
	Note(note []byte) error
	Flush() (length int64, err error)
}

// Groups finds groups of similar records. Two records are in one group if a chain of similar pairs
// connects them. Only one goroutine may use it at a time, except for Joining.
type Groups interface {
	// Add adds a record by its sketch.
	Add(sketch []uint64) error
	// Pass adds a record without a sketch, which is in no group.
	Pass()
	// Find joins what Add has not joined yet. Call it before any of the methods below. It returns
	// soon after ctx is done.
	Find(ctx context.Context) error
	// Joining returns the band that Find is working on, counted from 1, and the number of bands;
	// band is 0 if Find is not running or has no bands.
	Joining() (band, bands int)
	// All iterates over the groups of two or more records, ordered by their first record. A group
	// lists the numbers of its records, from 1, in ascending order. The slice is valid until the
	// next iteration.
	All() iter.Seq[[]uint64]
	// Cut returns the number of records that were not compared with all candidates, because very
	// many records share a key. Call it after Find.
	Cut() uint64
	// Similarity returns the similarity of two records, or 0 if one of them has no sketch.
	Similarity(a, b uint64) float32
	// Resemble reports whether two records are similar enough to be joined directly; two members of
	// a chain may not be. It returns false if one of them has no sketch.
	Resemble(a, b uint64) bool
	// Split divides a group into smaller groups in which every record resembles the first one, the
	// leader. records lists the group in order of preference for leaders: each record joins the
	// first leader it resembles, or becomes a leader itself. Leaders without followers are left
	// out. If a group has very many leaders, records are compared only with the latest of them.
	Split(records []uint64) ([][]uint64, error)

	// Pack appends to dst the part of a sketch that has to be kept for later Groups.
	Pack(dst, sketch []uint64) []uint64
	// AddPacked adds a record by the words that Pack returned for it, or by none if it has no
	// sketch. Call it before Follow.
	AddPacked(packed []uint64) error
	// Follow places the earlier records before those that AddPacked has added; it may call added to
	// read the latter again. Find does not compare earlier records with each other. earlier must
	// stay readable as long as the groups are used.
	Follow(earlier Packed, added func(do func(packed []uint64) error) error) error
	// Settle joins earlier records as the earlier Joins returned. Call it after Follow.
	Settle(joins []Join) error
	// Joins returns the pairs that Find has joined, without the settled ones, ordered by Later.
	Joins() []Join

	// Close releases all resources, and returns the first error of an earlier read.
	Close() error
}
