package memory

import (
	"errors"
	"io"
)

// Others are further memories to query, besides the one that remembers or instead of it. There are
// at most MostOthers.
type Others []*Named

// A Named is a read-only memory with the names of its records.
type Named struct {
	Searcher
	Names Names
	file  io.Closer
}

// A ReadFile is a file that can be read at any offset.
type ReadFile interface {
	io.ReaderAt
	io.Closer
}

// ReadNamed returns the index that make creates from p, filled from the first length bytes of its
// log. Closing it closes the file.
func ReadNamed[P any, X Index](make func(P) (X, error), p P, file ReadFile, length int64) (*Named, error) {
	n := &Named{file: file}
	x, err := Read(make, p, file, length, n.Names.loadIfNames)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	n.Searcher = x
	return n, nil
}

// Close closes the memory and its log file.
func (n *Named) Close() error {
	err := n.Searcher.Close()
	if n.file != nil {
		err = errors.Join(err, n.file.Close())
	}
	return err
}

// Query sets each match to the most similar record in these memories, or to the zero Match. If
// records are equally similar, the first memory wins.
func (o Others) Query(sketches []uint64, matches []Match) error {
	return o.QueryAt(nil, sketches, matches)
}

// Alike returns how many of the records made at these times, from the first one on, may go into one
// call of QueryAt. Memories that forget by time compare later records with fewer others.
func (o Others) Alike(times []int64) int {
	n := len(times)
	for _, other := range o {
		if timed, ok := other.Searcher.(interface{ Alike(times []int64) int }); ok {
			n = min(n, timed.Alike(times))
		}
	}
	return n
}

// QueryAt is like Query for records made at the given times, in seconds, which matter to memories
// that forget by time, and must be alike. times is nil if they are unknown.
func (o Others) QueryAt(times []int64, sketches []uint64, matches []Match) error {
	clear(matches)
	for i, other := range o {
		if err := other.queryAt(times, sketches, matches); err != nil {
			return err
		}
		for j := range matches {
			if m := &matches[j]; m.Record > 0 && m.Memory == 0 {
				m.Memory = uint8(i + 1)
			}
		}
	}
	return nil
}

func (n *Named) queryAt(times []int64, sketches []uint64, matches []Match) error {
	timed, ok := n.Searcher.(interface {
		QueryAt(times []int64, sketches []uint64, matches []Match) error
	})
	if ok && len(times) == len(matches) {
		return timed.QueryAt(times, sketches, matches)
	}
	return n.Query(sketches, matches)
}

// Close closes all memories.
func (o Others) Close() (err error) {
	for _, other := range o {
		err = errors.Join(err, other.Close())
	}
	return err
}

// Cut returns the number of records that have no match, but had more candidates than these memories
// compare. A record counts once for each memory.
func (o Others) Cut() (records uint64) {
	for _, other := range o {
		records += other.Stats().Cut
	}
	return records
}

// MostOthers is the maximum number of Others: an original has eight bits for the number of its
// memory.
const MostOthers = 1<<(64-originalShift) - 1

const originalShift = 56

// Original returns the number by which verdicts, journals and other programs refer to the record of
// a match: the record number, with the number of its memory in the upper byte.
func (m Match) Original() uint64 { return uint64(m.Memory)<<originalShift | m.Record }

// Has reports whether an original exists, in the memory with the names own or in one of the others.
func (o Others) Has(own *Names, original uint64) bool {
	names, record := o.namesOf(own, original)
	return names.Has(record)
}

// AppendName appends the name of an original, which is in the memory with the names own or in one
// of the others.
func (o Others) AppendName(dst []byte, own *Names, original uint64) []byte {
	names, record := o.namesOf(own, original)
	return names.Append(dst, record)
}

func (o Others) namesOf(own *Names, original uint64) (names *Names, record uint64) {
	switch i := int(original >> originalShift); {
	case i == 0:
		return own, original
	case i <= len(o):
		return &o[i-1].Names, original & (1<<originalShift - 1)
	}
	return &Names{}, 0
}
