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

// A Writer is the directory of an index that is open for writing. It is not safe for concurrent
// use.
//
// What its sections hold becomes durable by Commit, all at once. A crash, or Close without Commit,
// leaves the directory as the last Commit left it.
//
// After an error of a file operation the Writer refuses everything but Close: whether the failed
// write will reach the disk cannot be known, and must not be asked twice.
type Writer struct {
	fileSet
	logs
	changes  *Changes
	base     Base
	sections []Section
	decide   Decide
	isNew    bool    // it was created by this Writer
	dropped  bool    // uncommitted entries were dropped from the log, so only a fold can make the next commit
	prepared *Commit // the last commit, while it is undecided
	failed   error
}

// OpenWriter opens a directory for writing, which is created if it is missing; its parent must
// exist. It takes a lock that lasts until Close. Load or Create says what is in the index. decide
// is asked about a last commit that is undecided; it may be nil.
func OpenWriter(env Environment, dir string, decide Decide) (*Writer, error) {
	if err := store.MakeDirPath(dir, private.Directory); err != nil {
		return nil, err
	}
	return lockWriter(env, dir, decide)
}

// OpenExisting is OpenWriter for an index that must be there already.
func OpenExisting(env Environment, dir string, decide Decide) (*Writer, error) {
	if _, err := readManifestIn(dir); err != nil {
		return nil, err // before a LOCK is left in a directory that is no index
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

// Parameters returns the parameters of the index; ok is false if the index does not exist yet.
func (w *Writer) Parameters() (list []Parameter, ok bool) {
	if w.manifest == nil {
		return nil, false
	}
	return w.manifest.parameters, true
}

// Path returns the path of the directory.
func (w *Writer) Path() string { return w.files.Path() }

// Create makes a new index, with a commit of that position. What was added before is in it.
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

// Load opens the index that is there, and makes the directory clean: what does not count is cut
// off, and files that are not named are removed. load takes what the base has; without a base the
// entries of the log stay as they are.
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
	s.file = nil // now that of the changes
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

// Add adds a section, whose state every later commit asks for, in place of one of its name. The
// states of sections that are not added stay as they are.
func (w *Writer) Add(s Section) {
	isIt := func(of Section) bool { return of.Name() == s.Name() }
	w.sections = append(slices.DeleteFunc(w.sections, isIt), s)
}

// Remove gives up the state of a section.
func (w *Writer) Remove(section string) {
	isIt := func(s Section) bool { return s.Name() == section }
	w.sections = slices.DeleteFunc(w.sections, isIt)
	w.last.states = slices.DeleteFunc(slices.Clone(w.last.states), func(s sectionState) bool {
		return s.section == section
	})
}

// CheckNotMoved refuses a directory that was renamed, deleted or replaced since it was opened: a
// commit would be found by nobody, or not by who has put another index in its place. Every commit
// asks it.
func (w *Writer) CheckNotMoved() error {
	if err := w.files.CheckNotMoved(); err != nil {
		return fmt.Errorf("%w: it is as of its last commit: see which index is to be gone on with, and give the "+
			"command again", err)
	}
	return nil
}

// Committed returns the position of the last commit, or a zero one if there was none.
func (w *Writer) Committed() Position { return w.last.Position }

// LastCommit returns the last commit.
func (w *Writer) LastCommit() *Commit { return &w.last }

// Ready returns why nothing more can be appended or committed, if that is so.
func (w *Writer) Ready() error {
	if w.failed == nil && w.prepared != nil {
		return ErrUndecided
	}
	return w.failed
}

// Changes returns the log of the commits, for entries of the base; nil if they are not needed,
// since the next commit writes all that the base has. Changed is to be called afterwards.
func (w *Writer) Changes() *Changes {
	if w.dropped {
		return nil
	}
	return w.changes
}

// Changed says that entries were appended, or why not.
//
// A run that commits late would write a log longer than the base itself. The next commit will be
// made by a fold, so the log is not needed for it. Without room for a fold the log keeps growing.
func (w *Writer) Changed(err error) error {
	if w.failed = err; w.failed == nil && w.decide == nil && w.foldDue() {
		w.dropped = true
		w.failed = w.changes.drop()
	}
	return w.failed
}

// Commit makes everything durable that its sections hold, together with the position of the run.
// Everything that the caller has written for the records of the run must be on disk before. If it
// fails, the directory holds this commit or the one before.
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

// write is the order in which a commit reaches the disk: the logs of all sections, the names of new
// ones, and the commit, which is a frame of the log of the commits or, if that is folded, another
// MANIFEST.
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

// next returns the next commit, once all that it counts on is durable, but for the log of the
// commits.
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

// counts notes that a commit counts, and removes what it does not need. Readers still find a commit
// that has the logs of before, if that is not nil.
func (w *Writer) counts(c Commit, before []listed) {
	// With more logs, too: one between two of them may have been given up before any commit.
	isOther := len(c.logs) != len(w.last.logs) || c.lacks(w.last.logs) || c.lacks(w.before)
	w.last, w.before = c, before
	if w.forgetKept(c.Position) || isOther {
		_ = w.removeLeftovers()
	}
}

// lacks reports whether a commit does not list one of these logs.
func (c *Commit) lacks(logs []listed) bool {
	return slices.ContainsFunc(logs, func(l listed) bool {
		_, has := c.Log(l.name)
		return !has
	})
}

// Close releases the index: what was not committed is dropped. The index cannot be used after it.
func (w *Writer) Close() error {
	if w.changes == nil || w.files.CheckNotMoved() != nil {
		return w.release() // it may be deleted, and the next program that opens it tidies up
	}
	var err error
	if w.IsSettled() && w.changes.committed > w.manifest.logLength {
		// From now on damage to any of these bytes can be told from what a crash leaves over.
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

// Discard is Close, but of an index that this Writer has created and committed nothing to: it
// removes the files of that, so that the directory has no index, whose parameters would bind a
// later one. An index that was there before stays as of its last commit, also where that is an
// empty one.
func (w *Writer) Discard() error {
	if !w.isNew || w.last.Number != 1 || !w.IsSettled() || w.files.CheckNotMoved() != nil {
		return w.Close()
	}
	err := w.files.Remove(ManifestFile)
	if err == nil {
		err = w.files.Sync()
	}
	if err == nil {
		err = store.State{Owns: w.owns}.RemoveOthers(w.files) // without a MANIFEST it is no index
	}
	if err == nil {
		err = w.files.Remove(writingName)
	}
	return errors.Join(err, w.release())
}

// Abandon closes the files of the index and leaves them as they are, as a crash would.
func (w *Writer) Abandon() error { return w.release() }

func (w *Writer) release() (err error) {
	if w.changes != nil {
		err = w.changes.file.Close()
	}
	w.failed = errors.New("the index is closed")
	return errors.Join(err, w.closeLogs(), w.unlock())
}
