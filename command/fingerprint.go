package command

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// memoryOfFingerprints is what an index with a log of fingerprints has for its memory.
const memoryOfFingerprints = "fingerprints"

// fingerprintSketcher returns what makes a sketcher of fingerprints for each worker, and which
// fingerprints these are.
func fingerprintSketcher(c *config.Filter) (func() stream.Sketcher, keyKind, error) {
	if c.Fingerprint.TLSH {
		return digestSketcher(c)
	}
	shingler, err := shinglesFrom(c)
	if err != nil {
		return nil, keyKind{}, err
	}
	weights, err := readWeights(c)
	if err != nil {
		return nil, keyKind{}, err
	}
	made, err := simhash.New(shingler, simhash.Params{
		Bits: c.Fingerprint.Bits, Weight: c.Fingerprint.Weight, Weights: weights,
	})
	identity := append(shinglesOf(c), bloomlsh.Parameter{Name: "sketch", Value: c.Similar.Sketch},
		bloomlsh.Parameter{Name: "bits", Value: strconv.Itoa(c.Fingerprint.Bits)},
		bloomlsh.Parameter{Name: "weight", Value: c.Fingerprint.Weight})
	if weights != nil {
		identity = append(identity, bloomlsh.Parameter{Name: "idf", Value: fmt.Sprintf("%016x", weights.Hash())})
	}
	return func() stream.Sketcher { return made.Clone() }, fingerprintsOf(c, identity), err
}

// fingerprintsOf are those that may be compared with each other, and what is remembered of them.
// made is how they are made.
func fingerprintsOf(c *config.Filter, made []bloomlsh.Parameter) keyKind {
	return keyKind{bands: 1, votes: 1, identity: append(made,
		bloomlsh.Parameter{Name: "distance", Value: strconv.Itoa(c.Fingerprint.Distance)},
		bloomlsh.Parameter{Name: memoryParameter, Value: memoryOfFingerprints},
	)}
}

// fingerprintParams are those of the memory.
func fingerprintParams(c *config.Filter) fingerprints.Params {
	p := fingerprints.Params{
		Bits: c.Fingerprint.Bits, Distance: c.Fingerprint.Distance, UnseenOnly: c.Index.Remember == "unseen",
	}
	if c.Fingerprint.TLSH {
		p.Measure = fingerprints.TLSH
	}
	return p
}

// useFingerprints has the records judged by a memory of fingerprints.
func (f *filterRun) useFingerprints() error {
	if err := f.checkID(); err != nil {
		return err
	}
	p := fingerprintParams(f.c)
	if err := checkFingerprintRoom(p, expectedRecords(f.c), "records (--capacity)"); err != nil {
		return err
	}
	f.judgeByExact(nil)
	var err error
	if f.c.Index.Index != "" && !f.c.Index.ReadOnly {
		err = f.openExact(f.keys.identity, func(committed exactCommit) error {
			return f.exact.loadFingerprints(committed, p)
		})
	} else {
		err = f.exact.useFingerprints(fingerprints.New(p))
	}
	if err == nil {
		err = f.openAgainst(f.keys.identity, fingerprintLog(p))
	}
	if err == nil {
		f.exact.look()
	}
	return err
}

// useFingerprints has the memory be that of an index of fingerprints, if there was no error.
func (m *exactMemory) useFingerprints(index *fingerprints.Index, err error) error {
	if err == nil {
		m.index = newFingerprintIndex(index)
	}
	return err
}

// loadFingerprints reads the log.
func (m *exactMemory) loadFingerprints(committed exactCommit, p fingerprints.Params) error {
	if err := checkFingerprintRoom(p, committed.Signatures, "fingerprints that it has"); err != nil {
		return err
	}
	index, log, err := fingerprints.Load(m.file, committed.Bytes, p, m.names.load)
	if err := m.useFingerprints(index, err); err != nil {
		return err
	}
	m.names.log = log
	return m.names.checkCount(committed.Records)
}

// fingerprintLog reads the log of an index of fingerprints.
func fingerprintLog(p fingerprints.Params) logReader {
	return func(file *os.File, length int64, notes func(note []byte) error) (askedIndex, error) {
		index, err := fingerprints.LoadReadOnly(file, length, p, notes)
		if err != nil {
			return nil, err
		}
		return newFingerprintIndex(index), nil
	}
}

// checkFingerprintRoom refuses a memory of so many fingerprints for which there is no room. what
// says where the number comes from.
func checkFingerprintRoom(p fingerprints.Params, entries uint64, what string) error {
	advice := ""
	if p.Measure == fingerprints.Hamming {
		advice = ", or a smaller --distance, or --bits 64"
	}
	return checkPeak(p.PeakBytes(entries), count(entries)+" "+what, advice)
}

// similarityAt is what a distance of fingerprints says: the cosine that it estimates, or with TLSH
// how much of the way from an unrelated text there is.
func similarityAt(distance int, p fingerprints.Params) float64 {
	if p.Measure == fingerprints.TLSH {
		return tlsh.Similarity(distance)
	}
	return simhash.Cosine(distance, p.Bits)
}

// A fingerprintIndex has an index of fingerprints answer like one of signatures.
type fingerprintIndex struct {
	*fingerprints.Index
	similarities []float32 // at each distance, in falling order
	matches      []fingerprints.Match
}

func newFingerprintIndex(x *fingerprints.Index) *fingerprintIndex {
	p := x.Params()
	f := &fingerprintIndex{Index: x}
	for distance := range p.Distance + 1 {
		f.similarities = append(f.similarities, float32(similarityAt(distance, p)))
	}
	return f
}

// take notes what other indexes have found.
func (f *fingerprintIndex) take(matches []signatures.Match) {
	f.matches = slices.Grow(f.matches[:0], len(matches))[:len(matches)]
	for i, m := range matches {
		f.matches[i] = fingerprints.Match{}
		if m.Record > 0 {
			f.matches[i] = fingerprints.Match{Record: m.Record, Distance: slices.Index(f.similarities, m.Similarity)}
		}
	}
}

// give says what is found.
func (f *fingerprintIndex) give(matches []signatures.Match) {
	for i := range matches {
		matches[i] = signatures.Match{}
		if m := f.matches[i]; m.Record > 0 {
			matches[i] = signatures.Match{Record: m.Record, Similarity: f.similarities[m.Distance]}
		}
	}
}

func (f *fingerprintIndex) ObserveBeside(sketches []uint64, matches []signatures.Match) (observed int, err error) {
	f.take(matches)
	observed, err = f.Index.ObserveBeside(sketches, f.matches)
	f.give(matches[:observed])
	return observed, err
}

func (f *fingerprintIndex) Query(sketches []uint64, matches []signatures.Match) error {
	f.take(matches)
	err := f.Index.Query(sketches, f.matches)
	f.give(matches)
	return err
}

func (f *fingerprintIndex) Stats() signatures.Stats {
	s := f.Index.Stats()
	return signatures.Stats{
		Records: s.Records, Entries: s.Entries, Duplicates: s.Duplicates, Copies: s.Copies, Bytes: s.Bytes,
	}
}

func (f *fingerprintIndex) Near(dst []signatures.Match, words []uint64, k int) ([]signatures.Match, error) {
	var err error
	f.matches, err = f.Index.Near(f.matches[:0], words, k)
	start := len(dst)
	dst = append(dst, make([]signatures.Match, len(f.matches))...)
	f.give(dst[start:])
	return dst, err
}
