package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/lsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An exact memory in a directory is an index of Bloom filters with a log of signatures beside it.
// The index has the lock, the parameters and the commits; each commit says how long the log was
// then. So the log is like an output of the run: it is flushed before the commit, and what is after
// the committed length does not count.

// exactLogName is the name of the log in the directory.
const exactLogName = "exact"

// exactParameter tells an index with such a log from others.
var exactParameter = bloomlsh.Parameter{Name: "memory", Value: "exact"}

// openExact opens the memory that is kept in a directory.
func (f *filterRun) openExact() (err error) {
	m, dir, keys := f.exact, f.c.Index.Index, f.keys
	keys.identity = append(slices.Clone(keys.identity), exactParameter)
	if f.memory, err = openSeen(f.c.Index, keys, f.std, f.opts.Threads, bloomlsh.Open); err != nil {
		return err
	}
	store := f.memory.durable()
	length, err := exactLength(dir, store.Committed(), store.Stats().Observed)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, exactLogName)
	flags := os.O_RDWR
	if length == 0 {
		flags |= os.O_CREATE
	}
	if m.file, err = os.OpenFile(path, flags, 0o666); err != nil {
		return err
	}
	if err = syncDir(dir); err == nil {
		m.index, m.log, err = lsh.Load(m.file, length, exactParams(f.c, f.keys), m.names.load)
	}
	if err == nil && m.index.Stats().Records != m.names.records {
		err = fmt.Errorf("%w: it has %d records and the names of %d",
			lsh.ErrCorrupt, m.index.Stats().Records, m.names.records)
	}
	if err != nil {
		if m.index == nil {
			err = errors.Join(err, m.file.Close())
		}
		return damagedExact(path, err)
	}
	m.filters, m.names.log = f.memory, m.log
	return nil
}

// exactLength is how long the log of the index in dir was at its last commit.
func exactLength(dir string, at bloomlsh.Position, observed uint64) (int64, error) {
	last, err := runOf(at, dir)
	switch {
	case err != nil:
		return 0, err
	case last != nil && last.Exact > 0:
		return last.Exact, nil
	case observed > 0:
		return 0, damagedExact(dir, errors.New("its last commit does not say how long the log of signatures is"))
	}
	return 0, nil
}

func damagedExact(path string, err error) error {
	if !errors.Is(err, lsh.ErrCorrupt) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fmt.Errorf("%s: %w: restore it from a copy, or build the index again", path, err)
}

// fillFilters has the Bloom filters remember records too. What they say of them does not matter.
func (m *exactMemory) fillFilters(sketches []uint64, records int) error {
	if m.filters == nil {
		return nil
	}
	size, bands := len(sketches)/records, m.filters.bands
	m.keys = m.keys[:0]
	for i := range records {
		m.keys = append(m.keys, stream.KeysOf(sketches[i*size:i*size+2*bands])...)
	}
	m.votes = slices.Grow(m.votes[:0], records)[:records]
	_, err := m.filters.Observe(m.keys, m.votes)
	return err
}

// sync makes the log durable and returns its length. Without a directory there is none.
func (m *exactMemory) sync() (length int64, err error) {
	if m == nil || m.log == nil {
		return 0, nil
	}
	if err := m.names.note(); err != nil {
		return 0, err
	}
	return m.index.Sync()
}

// isExact reports whether the index in dir has a log of signatures beside it.
func isExact(dir string) (bool, error) {
	_, identity, err := bloomlsh.ReadParameters(dir)
	return slices.Contains(identity, exactParameter), err
}

// merge refuses what only looks like an index of Bloom filters.
func merge(dirs []string, out string) error {
	for _, dir := range dirs {
		if exact, err := isExact(dir); err == nil && exact {
			return fmt.Errorf("%s has an exact memory, which cannot be merged: numbers of records are its own", dir)
		}
	}
	return bloomlsh.Merge(dirs, out)
}

// exactFile describes the log that the last run of an index has left. ok is false if it has none.
func exactFile(last *progress) (f bloomlsh.FileInfo, ok bool) {
	if last == nil || last.Exact == 0 {
		return f, false
	}
	return bloomlsh.FileInfo{Name: exactLogName, Bytes: last.Exact}, true
}

// verifyExact checks every checksum of the log of the index in dir.
func verifyExact(dir string, length int64) error {
	path := filepath.Join(dir, exactLogName)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lsh.VerifyLog(f, length); err != nil {
		return damagedExact(path, err)
	}
	return nil
}
