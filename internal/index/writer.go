package index

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A Writer is the directory of an index open for writing. It is not safe for concurrent use.
//
// Commit makes everything that the sections hold durable, all at once. A crash, or Close without
// Commit, leaves the directory as of the last Commit.
//
// After a file operation has failed, the Writer rejects everything but Close: whether the failed
// write will reach the disk cannot be known, and it must not be retried.
type Writer struct {
	fileSet
	logs
	changes  *Changes
	base     Base
	sections []Section
	decide   Decide
	isNew    bool    // this Writer created it
	dropped  bool    // uncommitted entries were dropped from the log, so only a fold can make the next commit
	prepared *Commit // the last commit, while it is undecided
	failed   error
}

// OpenWriter opens a directory for writing. It creates the directory if it is missing, but not the
// parent. It takes a lock that lasts until Close. Call Load or Create next. decide is called if the
// last commit is undecided; it may be nil.
func OpenWriter(env Environment, dir string, decide Decide) (*Writer, error) {
	if err := store.MakeDirPath(dir, private.Directory); err != nil {
		return nil, err
	}
	return lockWriter(env, dir, decide)
}

// OpenExisting is like OpenWriter, but the index must exist.
func OpenExisting(env Environment, dir string, decide Decide) (*Writer, error) {
	if _, err := readManifestIn(dir); err != nil {
		return nil, err // do not leave a LOCK in a directory that contains no index
	}
	return lockWriter(env, dir, decide)
}

func lockWriter(env Environment, dir string, decide Decide) (*Writer, error) {
	d, err := lockDir(env, dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{fileSet: fileSet{workDir: d}, decide: decide}
	if w.manifest, err = readManifest(d.files); err != nil && !errors.Is(err, ErrNoIndex) {
		return nil, errors.Join(err, d.unlock())
	}
	return w, nil
}

// Parameters returns the parameters of the index. ok is false if the index does not exist yet.
func (w *Writer) Parameters() (list []Parameter, ok bool) {
	if w.manifest == nil {
		return nil, false
	}
	return w.manifest.parameters, true
}

// Path returns the path of the directory.
func (w *Writer) Path() string { return w.files.Path() }

// Create creates the index, with a first commit at position that includes what was added before.
func (w *Writer) Create(parameters []Parameter, base Base, position Position) error {
	if err := w.checkEmpty(nil); err != nil {
		return err
	}
	w.base, w.manifest, w.isNew = base, &manifest{parameters: parameters}, true
	w.failed = w.begin(position)
	return w.failed
}

func (w *Writer) begin(position Position) error {
	c, err := w.next(position)
	if err == nil {
		err = w.fold(c)
	}
	if err == nil {
		err = w.markWriting()
	}
	return err
}

// Load opens the existing index and cleans up the directory: it cuts off what does not count, and
// removes files that nothing names. It calls load to restore the base; without a base, the entries
// in the log are left alone.
func (w *Writer) Load(base Base, load func(*Snapshot) error) error {
	s, err := openSnapshot(w.env, w.files, true)
	if err != nil {
		return err
	}
	defer s.close()
	before, undecided := s.log.last.logs, s.log.prepared != nil
	if err := w.decide.settle(s); err != nil {
		return err
	}
	if undecided && s.log.prepared == nil {
		w.before = before
	}
	if load != nil {
		if err := load(s); err != nil {
			return err
		}
	}
	w.base, w.manifest, w.series, w.last = base, s.manifest, s.series, s.log.last
	if w.kept, err = keptStates(w.files, w.manifest.log); err != nil {
		return err
	}
	header := commitsHeader(fingerprint(w.manifest.parameters), w.series)
	if w.changes, err = newChanges(w.env, s.file, s.log.length, w.last.Number+1, header); err != nil {
		return err
	}
	s.file = nil // the log now belongs to changes
	if s.log.size > s.log.length {
		if err := w.changes.file.Sync(); err != nil {
			return err
		}
	}
	if err := w.logsOf(&w.last).FinishUndo(w.files); err != nil {
		return err
	}
	w.loadLogs()
	_ = w.removeLeftovers()
	return w.markWriting()
}

// Add adds a section, replacing any of the same name. Every later commit asks for its state. The
// states of sections that are not added stay unchanged.
func (w *Writer) Add(s Section) {
	isIt := func(of Section) bool { return of.Name() == s.Name() }
	w.sections = append(slices.DeleteFunc(w.sections, isIt), s)
}

// Remove drops the state of a section.
func (w *Writer) Remove(section string) {
	isIt := func(s Section) bool { return s.Name() == section }
	w.sections = slices.DeleteFunc(w.sections, isIt)
	w.last.states = slices.DeleteFunc(slices.Clone(w.last.states), func(s sectionState) bool {
		return s.section == section
	})
}

// CheckNotMoved returns an error if the directory was renamed, deleted or replaced since it was
// opened. Nobody would find the commits, and another index that is now in its place must not get
// them. Every commit calls it.
func (w *Writer) CheckNotMoved() error {
	if err := w.files.CheckNotMoved(); err != nil {
		return fmt.Errorf("%w: it is as its last commit left it: find out which index to continue with, and run the "+
			"command again", err)
	}
	return nil
}

// Committed returns the position of the last commit, or the zero Position if there is none.
func (w *Writer) Committed() Position { return w.last.Position }

// LastCommit returns the last commit.
func (w *Writer) LastCommit() *Commit { return &w.last }

// Ready returns an error if nothing more can be appended or committed.
func (w *Writer) Ready() error {
	if w.failed == nil && w.prepared != nil {
		return ErrUndecided
	}
	return w.failed
}

// Changes returns the log of commits, for entries of the base. It returns nil if entries are not
// needed, since the next commit will write all data of the base. Call Changed after appending.
func (w *Writer) Changes() *Changes {
	if w.dropped {
		return nil
	}
	return w.changes
}

// Changed records that entries were appended, or the error that prevented it.
//
// A run that commits late would write a log longer than the base itself. Once a fold is due, it
// will make the next commit, so the log is dropped. Without space for a fold, the log keeps
// growing.
func (w *Writer) Changed(err error) error {
	if w.failed = err; w.failed == nil && w.decide == nil && w.foldDue() {
		w.dropped = true
		w.failed = w.changes.drop()
	}
	return w.failed
}

// Commit makes everything that the sections hold durable, together with the position of the run.
// Anything that the caller has written for the records of the run must already be on disk. If
// Commit fails, the directory holds either this commit or the previous one.
func (w *Writer) Commit(position Position) error { return w.commit(framelog.Commit, position) }

func (w *Writer) commit(kind framelog.Kind, position Position) error {
	if err := errors.Join(w.Ready(), position.check()); err != nil {
		return err
	}
	if w.failed = w.CheckNotMoved(); w.failed == nil {
		w.failed = w.write(kind, position)
	}
	return w.failed
}

// write writes a commit in the order in which it must reach the disk: the logs of all sections, the
// names of new ones, and then the commit itself, which is a frame in the log of commits or, if that
// is folded, a new MANIFEST.
func (w *Writer) write(kind framelog.Kind, position Position) error {
	c, err := w.next(position)
	switch {
	case err != nil:
		return err
	case kind == framelog.Prepared:
		if err = w.changes.commit(kind, c); err == nil {
			w.prepared = &c
		}
		return err
	case w.dropped || w.foldDue():
		return w.fold(c)
	}
	if err = w.changes.commit(kind, c); err == nil {
		w.counts(c, nil)
	}
	return err
}

// next makes everything that the next commit depends on durable, except for the log of commits, and
// returns that commit.
func (w *Writer) next(position Position) (c Commit, err error) {
	position.Meta = bytes.Clone(position.Meta)
	c = Commit{Number: w.last.Number + 1, Position: position, states: slices.Clone(w.last.states)}
	sections := w.sections
	if w.base != nil {
		sections = append([]Section{w.base}, sections...)
	}
	for _, s := range sections {
		state, err := s.State()
		if err != nil {
			return c, err
		}
		c.set(s.Name(), state)
	}
	c.logs, err = w.syncLogs()
	return c, err
}

// set replaces the state of a section.
func (c *Commit) set(section string, state []byte) {
	i, has := slices.BinarySearchFunc(c.states, section, func(s sectionState, name string) int {
		return cmp.Compare(s.section, name)
	})
	switch {
	case len(state) == 0 && has:
		c.states = slices.Delete(c.states, i, i+1)
	case has:
		c.states[i].bytes = state
	case len(state) > 0:
		c.states = slices.Insert(c.states, i, sectionState{section, state})
	}
}

// counts records that a commit counts, and removes what is no longer needed. If before is not nil,
// readers still find the commit with those logs.
func (w *Writer) counts(c Commit, before []listed) {
	// Also if there are only more logs: one in between may have been dropped before any commit.
	isOther := len(c.logs) != len(w.last.logs) || c.lacks(w.last.logs) || c.lacks(w.before)
	w.last, w.before = c, before
	if w.forgetKept(c.Position) || isOther {
		_ = w.removeLeftovers()
	}
}

// lacks reports whether the commit omits any of these logs.
func (c *Commit) lacks(logs []listed) bool {
	return slices.ContainsFunc(logs, func(l listed) bool {
		_, has := c.Log(l.name)
		return !has
	})
}

// Close releases the index and drops what was not committed. The index cannot be used afterwards.
func (w *Writer) Close() error {
	if w.changes == nil || w.files.CheckNotMoved() != nil {
		return w.release() // it may be deleted; the next program that opens it will clean up
	}
	var err error
	if w.IsSettled() && w.changes.committed > w.manifest.logLength {
		// From now on, damage to any of these bytes can be distinguished from the remains of a
		// crash.
		w.manifest.logLength, w.manifest.undone = w.changes.committed, undone{}
		err = replaceManifest(w.files, w.manifest)
	}
	if err == nil && w.IsSettled() {
		w.before = nil
		if err = errors.Join(w.changes.cutEnd(), w.logsOf(&w.last).Cut(w.files)); err == nil {
			_ = w.removeLeftovers()
			w.unmark()
		}
	}
	return errors.Join(err, w.release())
}

// Discard is like Close for an index that this Writer created without committing anything to it. It
// removes the index's files, so that the directory contains no index, whose parameters would bind a
// later one. An index that existed before stays as of its last commit, even if that is empty.
func (w *Writer) Discard() error {
	if !w.isNew || w.last.Number != 1 || !w.IsSettled() || w.files.CheckNotMoved() != nil {
		return w.Close()
	}
	err := w.files.Remove(ManifestFile)
	if err == nil {
		err = w.files.Sync()
	}
	if err == nil {
		err = store.State{Owns: w.owns}.RemoveOthers(w.files) // without a MANIFEST it is not an index
	}
	if err == nil {
		err = w.files.Remove(writingName)
	}
	return errors.Join(err, w.release())
}

// Abandon closes the files of the index and leaves them as a crash would.
func (w *Writer) Abandon() error { return w.release() }

func (w *Writer) release() (err error) {
	if w.changes != nil {
		err = w.changes.file.Close()
	}
	w.failed = errors.New("the index is closed")
	return errors.Join(err, w.closeLogs(), w.unlock())
}
