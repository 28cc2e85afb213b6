package fingerprints

import (
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

var (
	// ErrMemory is the error of an index that the system gives no more memory.
	ErrMemory = errors.New("not enough memory")
	// ErrFull is the error of an index that has counted as many records as it can, 2³² - 1.
	ErrFull = errors.New("the index is full: it can count 4,294,967,295 records")

	errSize = errors.New("fingerprints of another size than the parameters of the index ask for")
)

// A Match is an earlier record that another one is near to. The zero Match stands for none.
type Match struct {
	Record   uint64 // its number: the first record of the index has 1
	Distance int    // of the fingerprints
}

// Index remembers fingerprints. Equal ones are remembered once, with the number of the first record
// that had it. What it takes in memory for each different one follows from the measure: see
// Params.PeakBytes. An Index is not safe for concurrent use.
type Index struct {
	params Params
	finder finder
	log    *Log  // where entries are written down, or nil
	err    error // what has broken the index

	records, duplicates, copies, entries uint64
}

// New returns an empty index.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &Index{params: p, finder: newFinder(p)}, nil
}

// Params returns what the index was made with.
func (x *Index) Params() Params { return x.params }

// Observe asks about some records and remembers them, one after the other: each is compared with
// all before it. Their fingerprints stand one after the other. matches[i] becomes the nearest
// earlier record within the distance, the earliest of several, or the zero Match if there is none.
// It returns how many records it has observed: all, unless there is an error.
func (x *Index) Observe(fingerprints []uint64, matches []Match) (observed int, err error) {
	clear(matches)
	return x.ObserveBeside(fingerprints, matches)
}

// ObserveBeside is Observe for records that other indexes were asked about before: what these have
// found stands in matches, and stays there if this index knows nothing that is nearer.
func (x *Index) ObserveBeside(fingerprints []uint64, matches []Match) (observed int, err error) {
	words := x.params.Words()
	if len(fingerprints) != words*len(matches) {
		return 0, errSize
	}
	for i := range matches {
		if x.err != nil {
			return i, x.err
		}
		if x.records >= math.MaxUint32 {
			return i, ErrFull
		}
		x.records++
		if matches[i], err = x.observe(fingerprints[i*words:(i+1)*words], matches[i]); err != nil {
			x.records--
			return i, err
		}
	}
	return len(matches), nil
}

// Query asks about some records like ObserveBeside, and remembers nothing.
func (x *Index) Query(fingerprints []uint64, matches []Match) error {
	words := x.params.Words()
	if len(fingerprints) != words*len(matches) {
		return errSize
	}
	if x.err != nil {
		return x.err
	}
	for i := range matches {
		matches[i] = nearer(matches[i], x.finder.nearest(fingerprints[i*words:(i+1)*words], x.params.Distance))
	}
	return nil
}

// Pass counts records that have no fingerprint.
func (x *Index) Pass(records int) { x.records += uint64(records) }

// observe asks about the record at hand, and remembers it.
func (x *Index) observe(fingerprint []uint64, beside Match) (Match, error) {
	m := x.finder.nearest(fingerprint, x.params.Distance)
	isCopy := m.Record > 0 && m.Distance == 0
	m = nearer(beside, m)
	isNear := m.Record > 0
	if !isCopy && !(isNear && x.params.UnseenOnly) {
		if err := x.remember(fingerprint); err != nil {
			return Match{}, err
		}
	}
	if isNear {
		x.duplicates++
	}
	if isCopy {
		x.copies++
	}
	return m, nil
}

// nearer returns the nearer of two matches, the first if they are equal.
func nearer(a, b Match) Match {
	if a.Record == 0 || b.Record > 0 && b.Distance < a.Distance {
		return b
	}
	return a
}

// remember adds the fingerprint, which is not there, of the record at hand.
func (x *Index) remember(fingerprint []uint64) error {
	if x.log != nil {
		if x.err = x.log.entry(x.records, fingerprint); x.err != nil {
			return x.err
		}
	}
	if x.err = x.finder.add(fingerprint, uint32(x.records)); x.err != nil {
		return x.err
	}
	x.entries++
	return nil
}

// Stats is what an Index has done and what it takes.
type Stats struct {
	Records    uint64 // that were counted
	Entries    uint64 // different fingerprints that are remembered
	Duplicates uint64 // records with one near to them
	Copies     uint64 // of these, those whose fingerprint was known
	Bytes      uint64
}

// Stats describes the index.
func (x *Index) Stats() Stats {
	return Stats{
		Records: x.records, Entries: x.entries, Duplicates: x.duplicates, Copies: x.copies, Bytes: x.finder.bytes(),
	}
}

// Close gives the memory of the index back.
func (x *Index) Close() error {
	err := x.finder.release()
	x.err = errors.New("the index is closed")
	return err
}

// allocate returns zeroed words.
func allocate(words uint64) ([]uint64, error) {
	memory, err := offheap.Allocate(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return memory, nil
}
