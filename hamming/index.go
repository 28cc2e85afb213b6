package hamming

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
	Distance int    // in how many bits the fingerprints differ
}

// Index remembers fingerprints. Equal ones are remembered once, with the number of the first record
// that had it. It takes for each different fingerprint its own bytes once for each lane, of which
// there are Distance + 1, at most 4 for 64 bits and 8 for 128, and 4 bytes for the record: 36 bytes
// with 64 bits and a distance of 3. While it grows it takes up to a half more. An Index is not safe
// for concurrent use.
//
// Runs of fingerprints grow like those of a log-structured merge tree (O'Neil et al. 1996): when
// the young ones are many they become a run, which is merged with those before it that are less
// than four times as long. So each fingerprint is moved a few times, and few runs are asked.
type Index struct {
	params    Params
	lanes     []lane
	youngMost int
	runs      []*run // earlier ones first
	young     young
	log       *Log  // where entries are written down, or nil
	err       error // what has broken the index

	records, duplicates, copies, entries uint64
}

// New returns an empty index.
func New(p Params) (*Index, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	x := &Index{params: p, lanes: p.lanes(), youngMost: youngMost}
	x.young = newYoung(len(x.lanes))
	return x, nil
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
		matches[i] = nearer(matches[i], x.nearest(fingerprints[i*words:(i+1)*words]))
	}
	return nil
}

// Pass counts records that have no fingerprint.
func (x *Index) Pass(records int) { x.records += uint64(records) }

// observe asks about the record at hand, and remembers it.
func (x *Index) observe(fingerprint []uint64, beside Match) (Match, error) {
	m := x.nearest(fingerprint)
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

// nearest finds the nearest record within the distance, the earliest of several. Later runs have
// later records: they must be nearer.
func (x *Index) nearest(fingerprint []uint64) (best Match) {
	limit := x.params.Distance
	for _, r := range x.runs {
		best = r.search(x.lanes, fingerprint, best, limit)
		if best.Record > 0 {
			limit = best.Distance - 1
		}
		if limit < 0 {
			return best
		}
	}
	return x.young.search(x.lanes, fingerprint, best, limit)
}

// remember adds the fingerprint, which is not there, of the record at hand.
func (x *Index) remember(fingerprint []uint64) error {
	if len(x.young.numbers) >= x.youngMost {
		if x.err = x.seal(); x.err != nil {
			return x.err
		}
	}
	if x.log != nil {
		if x.err = x.log.entry(x.records, fingerprint); x.err != nil {
			return x.err
		}
	}
	x.young.add(x.lanes, fingerprint, uint32(x.records))
	x.entries++
	return nil
}

// seal makes the young ones part of the runs.
func (x *Index) seal() error {
	sealed, err := x.young.seal(x.lanes, x.params.Words())
	if err != nil {
		return err
	}
	x.runs = append(x.runs, sealed)
	from, count := len(x.runs)-1, sealed.count
	for from > 0 && x.runs[from-1].count < 4*count {
		from--
		count += x.runs[from].count
	}
	if from == len(x.runs)-1 {
		return nil
	}
	merged, err := newRun(x.lanes, x.params.Words(), x.runs[from:])
	if err != nil {
		return err
	}
	x.runs = append(x.runs[:from], merged)
	return nil
}

// PeakBytes is what an index takes, while it grows, to remember so many different fingerprints.
func (p Params) PeakBytes(fingerprints uint64) uint64 {
	lanes, item := uint64(len(p.lanes())), uint64(8*p.Words())
	moved := fingerprints * (item + 4) // of a table that is being made, beside those that it is made of
	young := min(fingerprints, youngMost) * 2 * (item + 4 + 4*lanes)
	return fingerprints*(item*lanes+4) + moved + young + 6*lanes*4*buckets
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
	s := Stats{Records: x.records, Entries: x.entries, Duplicates: x.duplicates, Copies: x.copies,
		Bytes: x.young.bytes()}
	for _, r := range x.runs {
		s.Bytes += r.bytes()
	}
	return s
}

// Close gives the memory of the index back.
func (x *Index) Close() error {
	var errs []error
	for _, r := range x.runs {
		errs = append(errs, r.release())
	}
	x.runs, x.young, x.err = nil, young{}, errors.New("the index is closed")
	return errors.Join(errs...)
}

// allocate returns zeroed words.
func allocate(words uint64) ([]uint64, error) {
	memory, err := offheap.Allocate(words)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMemory, err)
	}
	return memory, nil
}
