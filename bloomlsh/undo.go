package bloomlsh

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// A run can be taken back as long as the state before it can be found: it is a commit in the log,
// or one in the log of before the last fold. So a fold keeps the files that it replaces, named by a
// copy of their MANIFEST, until another run makes them useless.

// Undo says how far back an index can be taken.
type Undo struct {
	Runs int // how many of the last runs can be taken back
	// Run returns the number of the run that made a commit, complete or not. 0 means no run, for
	// which nothing is kept.
	Run func(Position) uint64
}

// ErrNoUndo says that the state to which an index is to be taken back is no longer kept.
var ErrNoUndo = errors.New("that state is no longer kept")

// KeepForUndo has folds keep what it takes to take runs back. It is called before the first commit.
func (s *Store) KeepForUndo(u Undo) { s.undo = u }

// A keptState is files that a fold has replaced in a run.
type keptState struct {
	name     string // of the copy of their MANIFEST
	series   uint64 // of their log
	run      uint64
	manifest *manifest
}

func undoName(series, run uint64) string { return fmt.Sprintf("undo-%d-%d", series, run) }

// parseUndoName is the inverse of undoName.
func parseUndoName(name string) (series, run uint64, ok bool) {
	first, second, _ := strings.Cut(strings.TrimPrefix(name, "undo-"), "-")
	series, err := strconv.ParseUint(first, 10, 64)
	run, failed := strconv.ParseUint(second, 10, 64)
	return series, run, err == nil && failed == nil && name == undoName(series, run)
}

// keptStates returns the states in a directory, the newest first. A copy of a MANIFEST that cannot
// be read does not count, nor does one of the present files. A state with missing files is gone,
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
			return nil, err // it may be one: who took it for none would remove it
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

// An Undoing says to which commit an index is taken back, and what else belongs to that.
type Undoing struct {
	// Choose is told the last commit, and how many runs the last undo has taken back if nothing was
	// committed since, else 0. It returns what reports whether a commit is wanted, and how many
	// runs that takes back.
	Choose func(last Position, undone int) (is func(Position) bool, runs int, err error)
	// Begin is told the commit that the index is about to be taken back to. An error of it leaves
	// the index as it is. It may be nil.
	Begin func(target Position) error
}

// UndoTo takes an index back to the newest commit before the last one that is wanted, as if what
// came later had not been. Killed at any time, it has happened or not. No file is changed that a
// reader may have open.
func UndoTo(dir string, u Undoing) error { return undoTo(system, dir, u) }

func undoTo(env environment, dir string, u Undoing) (err error) {
	m, err := readManifestIn(dir)
	if err != nil {
		return err // before a LOCK is left in a directory that is no index
	}
	w, err := lockDir(env, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.unlock()) }()
	f := &fileSet{workDir: w}
	d := &directory{files: w.files, manifest: m}
	defer func() { d.close() }()
	if err := d.open(env, true); err != nil {
		return err
	}
	if d.state.prepared != nil {
		return ErrUndecided
	}
	before := 0
	if m.undone.length == d.state.length {
		before = m.undone.runs
	}
	is, runs, err := u.Choose(d.state.last.position, before)
	if err != nil {
		return err
	}
	f.undone = runs
	target, err := d.lastCommit(is, d.state.length)
	if err != nil {
		return err
	}
	f.manifest, f.series = m, d.series
	if target.end > 0 {
		return f.restore(d, target, u.Begin)
	}
	kept, err := keptStates(w.files, m.log)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if done, err := f.restoreKept(k, is, u.Begin); err != nil || done {
			return err
		}
	}
	return fmt.Errorf("%s: %w", dir, ErrNoUndo)
}

// A pastCommit is an earlier commit in a log, with the offset where it ends, or 0 if it does not
// exist.
type pastCommit struct {
	position Position
	end      int64
}

// lastCommit returns the newest commit in the log that is wanted and ends before the given place.
func (d *directory) lastCommit(is func(Position) bool, before int64) (last pastCommit, err error) {
	err = d.eachFrame(func(f framelog.Frame) error {
		if f.Kind != framelog.Commit && f.Kind != framelog.Prepared || f.End >= before {
			return nil
		}
		c, err := decodeCommit(f)
		if err != nil {
			return corrupt(d.placeOf(f), "%v", err)
		}
		if is(c.position) {
			last = pastCommit{c.position, f.End}
		}
		return nil
	})
	return last, err
}
