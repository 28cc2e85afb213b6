package bloomlsh

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

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
	asked
	dir      string
	env      environment // whose files are those of the directory
	held     heldFiles
	lock     io.Closer
	manifest *manifest
	stored   map[int]storedBase // by the number of the generation
	series   uint64             // of the log
	log      *logWriter
	logged   int // generations that there have been in base files or in the log
	last     commit
	dropped  bool // uncommitted keys were dropped from the log, so only new base files can make the next commit
	decide   Decide
	memory   uint64 // Params.Memory
	undo     Undo
	kept     []keptState // the newest first
	undone   int         // runs that an undo takes back
	isNew    bool        // it was created by this Store
	prepared *commit     // the last commit, while it is undecided
	failed   error
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
	if err := env.files.MakeDir(dir); err != nil {
		return nil, err
	}
	s, err := lockStore(env, dir)
	if err != nil {
		return nil, err
	}
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

// lockStore returns a store that has the lock and nothing else. All that it does to files it does
// in the directory that it was opened in, also if that is renamed.
func lockStore(env environment, dir string) (*Store, error) {
	held, err := env.files.Hold(dir)
	if err != nil {
		return nil, err
	}
	lock, err := held.Lock(filepath.Join(dir, lockName))
	if err != nil {
		err = lockError(dir, errors.Join(err, held.Close()))
		return nil, err
	}
	env.files = held
	return &Store{dir: dir, env: env, held: held, lock: lock}, nil
}

func lockError(dir string, err error) error {
	switch {
	case errors.Is(err, ErrLocked):
		return fmt.Errorf("%s: %w: wait until it has finished, or open the index read-only", dir, ErrLocked)
	case errors.Is(err, store.ErrNoLocks):
		return fmt.Errorf("%s: %w: two programs could write to the index at once: put it on a local disk, or mount "+
			"the file system with locks", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: an index is written to by who may write in its directory; others "+
			"can open it read-only", err)
	}
	return err
}

// unlock gives the lock back, and the directory.
func (s *Store) unlock() error { return errors.Join(s.lock.Close(), s.held.Close()) }

// StillThere refuses a directory that was renamed, deleted or replaced since it was opened: a
// commit would be found by nobody, or not by who has put another index in its place. Every commit
// asks it.
func (s *Store) StillThere() error {
	if err := s.held.StillThere(); err != nil {
		return fmt.Errorf("%w: it is as of its last commit: see which index is to be gone on with, and give the "+
			"command again", err)
	}
	return nil
}

func (s *Store) openOrCreate(p Params, identity []Parameter) error {
	m, err := readManifest(s.env.files, s.dir)
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
	if isNew {
		return s.create(p, parameters)
	}
	if err := compareParameters(s.dir, m.parameters, parameters); err != nil {
		return err
	}
	return s.open()
}

// create makes an empty index.
func (s *Store) create(p Params, parameters []Parameter) error {
	if err := s.checkEmpty(); err != nil {
		return err
	}
	var err error
	if s.index, err = newIndex(p, s.env.memory); err != nil {
		return err
	}
	s.index.spill = s.spill
	s.manifest, s.isNew = &manifest{parameters: parameters}, true
	return s.fold(Position{})
}

// checkEmpty refuses a directory whose MANIFEST is lost. An interrupted creation leaves one log, of
// nothing, and perhaps a MANIFEST that was not yet renamed.
func (s *Store) checkEmpty() error {
	names, err := s.env.files.List(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, ok := isIndexFile(name)
		_, _, isUndo := parseUndoName(name)
		if !ok && !isUndo || name == newManifestName {
			continue
		}
		path := filepath.Join(s.dir, name)
		if name == logName(1) && s.isOwn(name) {
			size, err := fileSize(s.env.files, path)
			if err != nil {
				return err
			}
			if size <= logHeaderSize+frameOverhead+commitCounts*8 {
				continue
			}
		}
		return corrupt(path, "it is here and MANIFEST is not")
	}
	return nil
}

// open loads the index and makes the directory clean: the end of the log that does not count is cut
// off, files that are not named are removed.
func (s *Store) open() error {
	d, err := openDirectory(s.env, s.dir, true)
	if err != nil {
		return err
	}
	defer d.close()
	if err := s.settle(d); err != nil {
		return err
	}
	if s.index, s.logged, err = d.load(s.env, s.memory); err != nil {
		return err
	}
	if d.state.size > d.state.length {
		if err := errors.Join(d.log.Truncate(d.state.length), d.log.Sync()); err != nil {
			return err
		}
	}
	s.stored = map[int]storedBase{}
	for i, base := range d.bases {
		s.stored[base.generation] = storedBase{d.manifest.bases[i], base.inserted}
	}
	s.manifest, s.series, s.last = d.manifest, d.series, d.state.last
	if s.kept, err = keptStates(s.env.files, s.dir, s.manifest.log); err != nil {
		return err
	}
	s.log = newLogWriter(s.env, d.log, s.last.number+1, d.state.length)
	d.log = nil // now the writer's
	s.removeLeftovers()
	s.index.spill = s.spill
	return s.index.makeRoom(s.index.older(), 0) // what the log has opened is in memory
}

// isOwn reports whether a file called like one of an index begins like one, as far as it goes: what
// a crash has left of it may be nothing, or zeros.
func (s *Store) isOwn(name string) bool {
	magic := logMagic
	switch {
	case !strings.Contains(name, "-"):
		return true // MANIFEST and MANIFEST.new
	case strings.HasPrefix(name, "base-"):
		magic = baseMagic
	}
	f, err := s.env.files.Open(filepath.Join(s.dir, name), false)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return false
	}
	head = head[:n]
	return strings.HasPrefix(magic, string(head)) || len(bytes.Trim(head, "\x00")) == 0
}

// nextSeries returns the number of the series that comes next. One whose files would replace those
// of somebody else is left out.
func (s *Store) nextSeries() (uint64, error) {
	names, err := s.env.files.List(s.dir)
	if err != nil {
		return 0, err
	}
	taken := map[uint64]bool{}
	for _, name := range names {
		if series, ok := isIndexFile(name); ok && series > s.series && !s.isOwn(name) {
			taken[series] = true
		}
	}
	next := s.series + 1
	for taken[next] {
		next++
	}
	return next, nil
}

// removeLeftovers removes the index files that MANIFEST does not name, of the series that there
// have been or of the next one. They do no harm: what cannot be removed now is left to the next
// program that opens the index.
func (s *Store) removeLeftovers() {
	names, err := s.env.files.List(s.dir)
	if err != nil {
		return
	}
	named := s.namedFiles()
	for _, name := range names {
		if _, _, isUndo := parseUndoName(name); isUndo && !named[name] {
			_ = s.env.files.Remove(filepath.Join(s.dir, name))
		}
		if series, ok := isIndexFile(name); ok && series <= s.series+1 && !named[name] && s.isOwn(name) {
			_ = s.env.files.Remove(filepath.Join(s.dir, name))
		}
	}
	if slices.Contains(names, mergingName) { // from now on what is in the directory counts
		_ = s.env.files.Remove(filepath.Join(s.dir, mergingName))
		_ = s.env.files.SyncDir(s.dir)
	}
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
	return s.index.observe(records{times, beside, keys}, votes, s.logChanged)
}

// Parallelize is Index.Parallelize.
func (s *Store) Parallelize(workers int) { s.index.Parallelize(workers) }

// UseCores is Index.UseCores.
func (s *Store) UseCores(count int, wide func(work func())) { s.index.UseCores(count, wide) }

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
	if s.held.StillThere() != nil {
		return s.release() // it may be deleted, and the next program that opens it tidies up
	}
	if s.IsSettled() && s.log.committed > s.manifest.logLength {
		// From now on damage to any of these bytes can be told from what a crash leaves over.
		s.manifest.logLength, s.manifest.undone = s.log.committed, undone{}
		err = replaceManifest(s.env.files, s.dir, s.manifest)
	}
	if err == nil && s.IsSettled() {
		err = s.endInOrder()
	}
	return errors.Join(err, s.release())
}

// Discard is Close, but of an index that this Store has created and committed nothing to: it
// removes the files of that, so that the directory has no index, whose parameters would bind a
// later one. An index that was there before stays as of its last commit, also where that is an
// empty one.
func (s *Store) Discard() error {
	if !s.isNew || s.last.number != 1 || !s.IsSettled() || s.held.StillThere() != nil {
		return s.Close()
	}
	err := s.env.files.Remove(filepath.Join(s.dir, manifestName))
	if err == nil {
		err = s.env.files.SyncDir(s.dir)
	}
	for _, name := range []string{s.manifest.log, writingName} { // what is left without a MANIFEST is no index
		if err == nil {
			err = s.env.files.Remove(filepath.Join(s.dir, name))
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
