package index

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A run can be undone as long as the state before it can be found: as a commit in the log, or in
// the log from before the last fold. So a fold keeps the files it replaces, which a copy of their
// MANIFEST names, until a later run makes them useless.

// Undo says how far back an index can be taken.
type Undo struct {
	Runs int // how many of the last runs can be undone
	// Run returns the number of the run that made a commit, complete or not, or 0 for none. Nothing
	// is kept for commits without a run.
	Run func(Position) uint64
}

// KeepForUndo makes folds keep the files needed to undo runs. Call it before the first commit.
func (w *Writer) KeepForUndo(u Undo) { w.undo = u }

// A keptState is a set of files that a fold during a run has replaced.
type keptState struct {
	name     string // name of the copy of their MANIFEST
	series   uint64 // number of their log
	run      uint64
	manifest *manifest
}

// keptStates returns the kept states in a directory, newest first. It ignores a copy of a MANIFEST
// that cannot be read, and one that names the present files. A state with missing files is gone,
// since removing them may have been interrupted.
func keptStates(files *store.Dir, log string) ([]keptState, error) {
	names, err := files.List()
	if err != nil {
		return nil, err
	}
	var kept []keptState
	for _, name := range names {
		series, run, ok := parseUndoName(name)
		if !ok {
			continue
		}
		m, err := readManifestAt(files, name)
		isNone := errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) || errors.Is(err, fs.ErrNotExist)
		if err != nil && !isNone {
			return nil, err // it may be a kept state: ignoring it would lead to its removal
		}
		isGone := func(file string) bool { return !slices.Contains(names, file) }
		if err == nil && m.log == logName(series) && m.log != log &&
			!slices.ContainsFunc(m.names(), isGone) {
			kept = append(kept, keptState{name, series, run, m})
		}
	}
	slices.SortFunc(kept, func(a, b keptState) int { return int(b.series) - int(a.series) })
	return kept, nil
}

// A Choice says which commit to take an index back to. It is given the position of the last commit,
// and the number of runs that the last undo took back if nothing was committed since, else 0. It
// returns a function that reports whether a commit is wanted, and how many runs that undoes.
type Choice func(last Position, undone int) (is func(Position) bool, runs int, err error)

// UndoTo takes the index in dir back to the newest wanted commit before the last one, as if nothing
// later had happened. If it is killed, the undo has either happened or not. It changes no file that
// a reader may have open. After a successful undo, left says what could not be removed; the next
// program that writes will remove it.
func UndoTo(dir string, choose Choice) (left, err error) { return UndoIn(System, dir, choose) }

// UndoIn is UndoTo in the given environment.
func UndoIn(env Environment, dir string, choose Choice) (left, err error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return nil, err // do not leave a LOCK in a directory that contains no index
	}
	w, err := lockDir(env, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.unlock()) }()
	f := &fileSet{workDir: w, manifest: m}
	s := &Snapshot{files: w.files, manifest: m}
	defer func() { s.close() }()
	if err := s.open(env, true); err != nil {
		return nil, err
	}
	if s.log.prepared != nil {
		return nil, ErrUndecided
	}
	f.series, f.last = s.series, s.log.last
	before := 0
	if m.undone.length == s.log.length {
		before = m.undone.runs
	}
	is, runs, err := choose(f.last.Position, before)
	if err != nil {
		return nil, err
	}
	if err := w.logsOf(&f.last).FinishUndo(w.files); err != nil {
		return nil, err
	}
	f.undone = runs
	wanted := func(c *Commit) bool { return is(c.Position) && w.logsOf(c).Exists(w.files) }
	target, err := s.lastCommit(wanted, s.log.length)
	if err != nil {
		return nil, err
	}
	if target.end > 0 {
		return f.restore(s, target)
	}
	kept, err := keptStates(w.files, m.log)
	if err != nil {
		return nil, err
	}
	for _, k := range kept {
		if done, left, err := f.restoreKept(k, wanted); err != nil || done {
			return left, err
		}
	}
	return nil, fmt.Errorf("%s: %w", dir, ErrNoUndo)
}

// A pastCommit is an earlier commit in a log, with the offset of its end, or 0 if there is no such
// commit.
type pastCommit struct {
	Commit
	end int64
}

// lastCommit returns the newest wanted commit in the log that ends before the given offset.
func (s *Snapshot) lastCommit(wanted func(*Commit) bool, before int64) (last pastCommit, err error) {
	err = s.EachFrame(func(f framelog.Frame) error {
		if f.Kind != framelog.Commit && f.Kind != framelog.Prepared || f.End >= before {
			return nil
		}
		c, err := decodeCommit(f)
		if err != nil {
			return Corrupt(s.PlaceOf(f), "%v", err)
		}
		if wanted(&c) {
			last = pastCommit{c, f.End}
		}
		return nil
	})
	return last, err
}
