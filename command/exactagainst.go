package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/lsh"
)

// An askedMemory is an exact memory in a directory, as of its last commit, that is only asked. A
// writer may go on.
type askedMemory struct {
	index askedIndex
	file  *os.File // its log, which has the sets of shingles, if there are any
	names names
}

func (a *askedMemory) close() error { return errors.Join(a.index.Close(), a.file.Close()) }

// A logReader returns the index of a log of some length, and hands over each note.
type logReader func(file *os.File, length int64, notes func(note []byte) error) (askedIndex, error)

// signatureLog reads the log of an index of signatures.
func signatureLog(p lsh.Params) logReader {
	return func(file *os.File, length int64, notes func(note []byte) error) (askedIndex, error) {
		return lsh.LoadReadOnly(file, length, p, notes)
	}
}

// openAsked opens the memory in dir, whose identity is that of an exact one.
func openAsked(dir string, bands int, identity []bloomlsh.Parameter, read logReader) (*askedMemory, error) {
	filters, err := bloomlsh.OpenReadOnly(dir, bands, identity)
	if err != nil {
		return nil, err
	}
	committed, err := exactCommitOf(filters.Committed(), dir)
	if err := errors.Join(err, filters.Close()); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, exactLogName)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	a := &askedMemory{file: file}
	if a.index, err = read(file, committed.Bytes, a.names.load); err != nil {
		return nil, errors.Join(damagedExact(path, err), file.Close())
	}
	return a, nil
}

// openAgainst opens the memories of that identity that are asked beside the run's own, or in place
// of it.
func (f *filterRun) openAgainst(identity []bloomlsh.Parameter, read logReader) error {
	dirs := f.c.Index.Against
	if f.c.Index.ReadOnly && f.c.Index.Index != "" {
		dirs = append([]string{f.c.Index.Index}, dirs...)
	}
	if len(dirs) >= mostAgainst {
		return fmt.Errorf("%d indexes are asked, and at most %d are possible", len(dirs), mostAgainst-1)
	}
	for _, dir := range dirs {
		a, err := openAsked(dir, f.keys.bands, identity, read)
		if err != nil {
			return err
		}
		f.exact.against = append(f.exact.against, a)
	}
	return nil
}

// Numbers of records have room for which memory they are of: in the upper byte 0 is the run's own,
// and i+1 the i-th of those that it asks.
const (
	memoryShift = 56
	mostAgainst = 1 << (64 - memoryShift)
)

// ask sets matches to what the other memories know.
func (m *exactMemory) ask(sketches []uint64, matches []lsh.Match) error {
	clear(matches)
	for i, a := range m.against {
		m.asked = append(m.asked[:0], matches...)
		if err := a.index.Query(sketches, matches); err != nil {
			return err
		}
		for j := range matches {
			if matches[j] != m.asked[j] {
				matches[j].Record |= uint64(i+1) << memoryShift
			}
		}
	}
	return nil
}

// hasName reports whether a record is known, in this memory or in one that it asks.
func (m *exactMemory) hasName(record uint64) bool {
	of := &m.names
	if i := record >> memoryShift; i > uint64(len(m.against)) {
		return false
	} else if i > 0 {
		of, record = &m.against[i-1].names, record&(1<<memoryShift-1)
	}
	return record > 0 && record <= of.records
}

// name appends what a record is called, in its own memory or another one.
func (m *exactMemory) name(dst []byte, record uint64) []byte {
	if i := record >> memoryShift; i > 0 {
		return m.against[i-1].names.append(dst, record&(1<<memoryShift-1))
	}
	return m.names.append(dst, record)
}
