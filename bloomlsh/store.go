package bloomlsh

import (
	"cmp"
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

// A Store is a durable index: an Index in memory and the directory in which it is stored. It is not
// safe for concurrent use.
//
// Commit makes everything observed durable, all at once. A crash, or Close without Commit, leaves
// the directory as of the last Commit. So if you write a record's output to disk before you call
// Commit, the index on disk never contains a record whose output is missing.
//
// After a file operation has failed, the Store rejects everything but Close: whether the failed
// write will reach the disk cannot be known, and it must not be retried.
type Store struct {
	queryable
	*index.Writer
	section *filterSection
	changed func(keys []Key) error // section.logKeys
}

// Open opens the index in a directory for writing, or creates one if the directory is missing or
// empty; its parent must exist. It takes a lock that lasts until Close.
//
// identity lists, under names that the user knows, everything else that a record's verdict depends
// on, starting with how its keys were made. An index opens only with the identity and the
// parameters it was created with, except for ThresholdParameter. The names must differ from those
// of the index's own parameters: bands, capacity, fp-rate, filter, remember, on-full, votes,
// page-seed and growth.
func Open(dir string, p Params, identity []Parameter) (*Store, error) {
	return openStore(system, dir, p, identity)
}

// OpenPrepared is like Open for an index whose commits are made by Prepare and Confirm. It calls
// decide if the last commit is undecided, and returns the error of decide, if any.
func OpenPrepared(dir string, p Params, identity []Parameter, decide Decide) (*Store, error) {
	return openPrepared(system, dir, p, identity, decide)
}

func openStore(env environment, dir string, p Params, identity []Parameter) (*Store, error) {
	return openPrepared(env, dir, p, identity, nil)
}

func openPrepared(env environment, dir string, p Params, identity []Parameter, decide Decide) (*Store, error) {
	if err := errors.Join(p.Validate(), checkByteOrder()); err != nil {
		return nil, err
	}
	if _, err := allParameters(identity, p.complete()); err != nil {
		return nil, err
	}
	w, err := index.OpenWriter(env.files, dir, decide)
	if err != nil {
		return nil, err
	}
	s := newStore(w)
	if err := s.openOrCreate(env, p, identity); err != nil {
		return nil, errors.Join(err, s.Abandon())
	}
	return s, nil
}

// newStore returns a store of a directory, without an index.
func newStore(w *index.Writer) *Store {
	s := &Store{Writer: w, section: &filterSection{writer: w, stored: map[int]storedBase{}}}
	s.changed = s.section.logKeys
	return s
}

// use makes x the index of the store.
func (s *Store) use(x *Index) {
	s.index, s.section.index = x, x
	x.spill = s.section.spill
}

func (s *Store) openOrCreate(env environment, p Params, identity []Parameter) error {
	list, exists := s.Parameters()
	if exists {
		if stored, _, err := splitParameters(list); err == nil { // else Load reports what is wrong
			p.Growth = cmp.Or(p.Growth, stored.Growth)
			p.Filter = cmp.Or(p.Filter, stored.Filter)
		}
	}
	p = p.complete()
	parameters, err := allParameters(identity, p)
	if err != nil {
		return err
	}
	if exists {
		if err := index.CheckParameters(s.Path(), list, parameters); err != nil {
			return err
		}
		return s.load(env, p.Memory)
	}
	x, err := newIndex(p, env.memory)
	if err != nil {
		return err
	}
	s.use(x)
	return s.Create(parameters, s.section, Position{})
}

// load loads the existing index.
func (s *Store) load(env environment, memory uint64) error {
	err := s.Load(s.section, func(from *index.Snapshot) error {
		d, err := openDirectory(from)
		if err != nil {
			return err
		}
		defer d.close()
		x, logged, err := d.load(env, memory)
		if err != nil {
			return err
		}
		s.use(x)
		s.section.logged = logged
		for i, base := range d.bases {
			s.section.stored[base.generation] = storedBase{from.SealedNames()[i], base.inserted}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.index.freeMemory(s.index.older(), 0) // those that the log has opened are in memory
}

// Observe calls Index.Observe. What it inserts counts for later records immediately, and becomes
// durable with Commit.
func (s *Store) Observe(keys []Key, votes []uint16) (observed int, err error) {
	return s.ObserveBeside(nil, keys, votes)
}

// ObserveBeside calls Index.ObserveBeside.
func (s *Store) ObserveBeside(beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return s.ObserveAt(nil, beside, keys, votes)
}

// ObserveAt calls Index.ObserveAt.
func (s *Store) ObserveAt(times []int64, beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	if err := s.Ready(); err != nil {
		return 0, err
	}
	return s.index.observe(records{times, beside, keys}, votes, s.changed)
}

// Parallelize calls Index.Parallelize.
func (s *Store) Parallelize(workers int) { s.index.Parallelize(workers) }

// UseCores calls Index.UseCores.
func (s *Store) UseCores(count int, wide func(work func())) { s.index.UseCores(count, wide) }

// Remembers calls Index.Remembers.
func (s *Store) Remembers(votes uint16) bool { return s.index.Remembers(votes) }

// ObserveCopies calls Index.ObserveCopies.
func (s *Store) ObserveCopies(n int) error {
	if err := s.Ready(); err != nil {
		return err
	}
	return s.index.ObserveCopies(n)
}

// Close releases the index and drops what was not committed. The index cannot be used afterwards.
func (s *Store) Close() error { return errors.Join(s.Writer.Close(), s.closeIndex()) }

// Discard is like Close for an index that this Store created without committing anything to it. It
// removes the index's files, so that the directory contains no index, whose parameters would bind a
// later one. An index that existed before stays as of its last commit, even if that is empty.
func (s *Store) Discard() error { return errors.Join(s.Writer.Discard(), s.closeIndex()) }

// Abandon is like Close, but leaves the files as a crash would.
func (s *Store) Abandon() error { return errors.Join(s.Writer.Abandon(), s.closeIndex()) }

func (s *Store) closeIndex() error {
	if s.index == nil {
		return nil
	}
	return s.index.Close()
}

// Compact folds the log of an index into its base files, so that it opens faster. It keeps what u
// requires to undo runs.
func Compact(dir string, u index.Undo) error { return compact(system, dir, u) }

func compact(env environment, dir string, u index.Undo) error {
	w, err := index.OpenExisting(env.files, dir, nil)
	if err != nil {
		return err
	}
	s := newStore(w)
	s.KeepForUndo(u)
	memory, _ := env.memory.usable() // an index that was created with a limit may be larger
	if err = s.load(env, memory); err == nil {
		err = s.Fold(s.Committed())
	}
	return errors.Join(err, s.Abandon())
}
