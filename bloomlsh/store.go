package bloomlsh

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Store is a durable index: an Index in memory and the directory that it is kept in. It is not safe
// for concurrent use.
//
// What is observed becomes durable by Commit, all at once. A crash, or Close without Commit, leaves
// the directory as the last Commit left it. So if a record's output is on disk before Commit is
// called, the index on disk never holds a record that was not written.
//
// After an error of a file operation the Store refuses everything but Close: whether the failed
// write will reach the disk cannot be known, and must not be asked twice.
type Store struct {
	queryable
	changeLog
	fileSet
	decide   Decide
	memory   uint64  // Params.Memory
	isNew    bool    // it was created by this Store
	prepared *commit // the last commit, while it is undecided
	failed   error
	changed  func(keys []Key) error // logChanged
}

// Open opens the index of a directory for writing, or creates one if the directory is missing or
// empty; its parent must exist. It takes a lock that lasts until Close.
//
// identity lists, under the names that the user knows, everything else that a record's verdict
// depends on, beginning with how its keys were made. An index opens only with the identity and the
// parameters that it was created with, but for ThresholdParameter. Names may not repeat those of
// the index's own parameters: bands, capacity, fp-rate, filter, remember, on-full, votes, page-seed
// and growth.
func Open(dir string, p Params, identity []Parameter) (*Store, error) {
	return openStore(system, dir, p, identity)
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
	if err := store.MakeDirPath(dir, private.Directory); err != nil {
		return nil, err
	}
	w, err := lockDir(env, dir)
	if err != nil {
		return nil, err
	}
	s := newStore(w)
	s.decide, s.memory = decide, p.Memory
	if err = s.openOrCreate(p, identity); err == nil {
		err = s.markWriting()
	}
	if err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// newStore returns a store of a directory, without an index.
func newStore(w *workDir) *Store {
	s := &Store{fileSet: fileSet{workDir: w}}
	s.changed = s.logChanged
	return s
}

// CheckNotMoved refuses a directory that was renamed, deleted or replaced since it was opened: a
// commit would be found by nobody, or not by who has put another index in its place. Every commit
// asks it.
func (s *Store) CheckNotMoved() error {
	if err := s.files.CheckNotMoved(); err != nil {
		return fmt.Errorf("%w: it is as of its last commit: see which index is to be gone on with, and give the "+
			"command again", err)
	}
	return nil
}

func (s *Store) openOrCreate(p Params, identity []Parameter) error {
	m, err := readManifest(s.files)
	isNew := errors.Is(err, ErrNoIndex)
	if err != nil && !isNew {
		return err
	}
	if !isNew {
		stored, _, _ := splitParameters(m.parameters) // the manifest was checked
		p.Growth = cmp.Or(p.Growth, stored.Growth)
		p.Filter = cmp.Or(p.Filter, stored.Filter)
	}
	p = p.complete()
	parameters, err := allParameters(identity, p)
	if err != nil {
		return err
	}
	if !isNew {
		if err := compareParameters(s.files.Path(), m.parameters, parameters); err != nil {
			return err
		}
		return s.open()
	}
	if err := s.checkEmpty(nil); err != nil {
		return err
	}
	if s.index, err = newIndex(p, s.env.memory); err != nil {
		return err
	}
	s.index.spill = s.spill
	s.manifest, s.isNew = &manifest{parameters: parameters}, true
	return s.fold(Position{})
}

// open loads the index and makes the directory clean: the end of the log that does not count is cut
// off, files that are not named are removed.
func (s *Store) open() error {
	d, err := openDirectory(s.env, s.files, true)
	if err != nil {
		return err
	}
	defer d.close()
	if err := s.decide.settle(d); err != nil {
		return err
	}
	if s.index, s.logged, err = d.load(s.env, s.memory); err != nil {
		return err
	}
	s.stored = map[int]storedBase{}
	for i, base := range d.bases {
		s.stored[base.generation] = storedBase{d.manifest.bases[i], base.inserted}
	}
	s.manifest, s.series, s.last = d.manifest, d.series, d.state.last
	if s.kept, err = keptStates(s.files, s.manifest.log); err != nil {
		return err
	}
	header := logHeader(fingerprint(s.manifest.parameters), s.series)
	if s.log, err = newLogWriter(s.env, d.log, s.last.number+1, d.state.length, header); err != nil {
		return err
	}
	d.log = nil // now the writer's
	if d.state.size > d.state.length {
		if err := s.log.file.Sync(); err != nil {
			return err
		}
	}
	s.removeLeftovers()
	s.index.spill = s.spill
	return s.index.freeMemory(s.index.older(), 0) // what the log has opened is in memory
}

// Observe is Index.Observe. What it inserts counts for later records at once, and becomes durable
// by Commit.
func (s *Store) Observe(keys []Key, votes []uint16) (observed int, err error) {
	return s.ObserveBeside(nil, keys, votes)
}

// ObserveBeside is Index.ObserveBeside.
func (s *Store) ObserveBeside(beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	return s.ObserveAt(nil, beside, keys, votes)
}

// ObserveAt is Index.ObserveAt.
func (s *Store) ObserveAt(times []int64, beside *Answers, keys []Key, votes []uint16) (observed int, err error) {
	if err := s.ready(); err != nil {
		return 0, err
	}
	return s.index.observe(records{times, beside, keys}, votes, s.changed)
}

// Parallelize is Index.Parallelize.
func (s *Store) Parallelize(workers int) { s.index.Parallelize(workers) }

// UseCores is Index.UseCores.
func (s *Store) UseCores(count int, wide func(work func())) { s.index.UseCores(count, wide) }

// Remembers is Index.Remembers.
func (s *Store) Remembers(votes uint16) bool { return s.index.Remembers(votes) }

// ObserveCopies is Index.ObserveCopies.
func (s *Store) ObserveCopies(n int) error {
	if err := s.ready(); err != nil {
		return err
	}
	return s.index.ObserveCopies(n)
}

// Committed returns the position of the last commit, or a zero one if there was none.
func (s *Store) Committed() Position { return s.last.position }

// ready returns why nothing more can be observed or committed, if that is so.
func (s *Store) ready() error {
	if s.failed == nil && s.prepared != nil {
		return ErrUndecided
	}
	return s.failed
}

// Close releases the index: what was not committed is dropped. The index cannot be used after it.
func (s *Store) Close() error {
	var err error
	if s.files.CheckNotMoved() != nil {
		return s.release() // it may be deleted, and the next program that opens it tidies up
	}
	if s.IsSettled() && s.log.committed > s.manifest.logLength {
		// From now on damage to any of these bytes can be told from what a crash leaves over.
		s.manifest.logLength, s.manifest.undone = s.log.committed, undone{}
		err = replaceManifest(s.files, s.manifest)
	}
	if err == nil && s.IsSettled() {
		if err = s.cutEnd(); err == nil {
			s.unmark()
		}
	}
	return errors.Join(err, s.release())
}

// Discard is Close, but of an index that this Store has created and committed nothing to: it
// removes the files of that, so that the directory has no index, whose parameters would bind a
// later one. An index that was there before stays as of its last commit, also where that is an
// empty one.
func (s *Store) Discard() error {
	if !s.isNew || s.last.number != 1 || !s.IsSettled() || s.files.CheckNotMoved() != nil {
		return s.Close()
	}
	err := s.files.Remove(manifestName)
	if err == nil {
		err = s.files.Sync()
	}
	for _, name := range []string{s.manifest.log, writingName} { // what is left without a MANIFEST is no index
		if err == nil {
			err = s.files.Remove(name)
		}
	}
	return errors.Join(err, s.release())
}

func (s *Store) release() (err error) {
	if s.log != nil {
		err = s.log.file.Close()
	}
	if s.index != nil {
		err = errors.Join(err, s.index.Close())
	}
	s.failed = errors.New("the index is closed")
	return errors.Join(err, s.unlock())
}
