package bloomlsh

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// A run can be taken back as long as the state before it can be found: it is a commit in the log,
// or one in the log of before the last fold. So a fold keeps the files that it replaces, named by a
// copy of their MANIFEST, until another run makes them useless.

// Undo says how far back an index can be taken.
type Undo struct {
	Runs int // how many of the last runs can be taken back
	// Run is the number of the run that a commit is of, complete or not. 0 stands for no run, and
	// nothing is kept for it.
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

// keptStates are those in a directory, the newest first. A copy of a MANIFEST that cannot be read
// is none, and one of the present files is not yet one. One whose files are not all there is none
// any more: who removes them may be stopped between two.
func keptStates(files fileSystem, dir, log string) ([]keptState, error) {
	names, err := files.List(dir)
	if err != nil {
		return nil, err
	}
	var kept []keptState
	for _, name := range names {
		series, run, ok := parseUndoName(name)
		if !ok {
			continue
		}
		m, err := readManifestAt(files, filepath.Join(dir, name))
		isNone := errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) || errors.Is(err, fs.ErrNotExist)
		if err != nil && !isNone {
			return nil, err // it may be one: who took it for none would remove it
		}
		isGone := func(file string) bool { return !slices.Contains(names, file) }
		if err == nil && m.log == logName(series) && m.log != log &&
			!slices.ContainsFunc(append(m.baseNames(), m.log), isGone) {
			kept = append(kept, keptState{name, series, run, m})
		}
	}
	slices.SortFunc(kept, func(a, b keptState) int { return int(b.series) - int(a.series) })
	return kept, nil
}

// keep has the files of now be found after the fold of a commit, if nothing of its run is kept yet:
// what a run has folded before is of no use.
func (s *Store) keep(position Position) error {
	if s.undo.Runs <= 0 || s.manifest.log == "" {
		return nil
	}
	run := s.undo.Run(position)
	if run == 0 || slices.ContainsFunc(s.kept, func(k keptState) bool { return k.run == run }) {
		return nil
	}
	k := keptState{undoName(s.series, run), s.series, run, s.manifest}
	if err := s.writeSmall(k.name, s.manifest.encode()); err != nil {
		return err
	}
	s.kept = append([]keptState{k}, s.kept...)
	return nil
}

// forgetKept gives up what no run can be taken back to after a commit. It reports whether that is
// anything.
func (s *Store) forgetKept(position Position) bool {
	before := len(s.kept)
	if s.undo.Run == nil { // it is not in the hands of runs
		s.kept = nil
		return before > 0
	}
	run := s.undo.Run(position)
	s.kept = slices.DeleteFunc(s.kept, func(k keptState) bool { return k.run+uint64(max(0, s.undo.Runs)) <= run })
	return len(s.kept) < before
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
	m, err := readManifest(env.files, dir)
	if err != nil {
		return err // before a LOCK is left in a directory that is no index
	}
	s, err := lockStore(env, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.unlock()) }()
	env = s.env
	d := &directory{path: dir, manifest: m}
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
	s.undone = runs
	target, err := d.lastCommit(is, d.state.length)
	if err != nil {
		return err
	}
	s.manifest, s.series = m, d.series
	if target.end > 0 {
		return s.restore(d, target, u.Begin)
	}
	kept, err := keptStates(env.files, dir, m.log)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if done, err := s.restoreKept(k, is, u.Begin); err != nil || done {
			return err
		}
	}
	return fmt.Errorf("%s: %w", dir, ErrNoUndo)
}

// A pastCommit is one in a log, with the place where it ends; that is 0 if there is none.
type pastCommit struct {
	position Position
	end      int64
}

// lastCommit returns the newest commit in the log that is wanted and ends before the given place.
func (d *directory) lastCommit(is func(Position) bool, before int64) (last pastCommit, err error) {
	r := newLogReader(d.log, d.state.size)
	for offset := int64(logHeaderSize); offset < d.state.length; {
		f, ok, err := r.at(offset)
		if err != nil {
			return last, err
		}
		if !ok {
			return last, corrupt(fmt.Sprintf("%s:%d", d.logPath(), offset),
				"the frame has changed since it was checked")
		}
		offset = f.end()
		if f.kind != kindCommit && f.kind != kindPrepared || offset >= before {
			continue
		}
		c, err := decodeCommit(f)
		if err != nil {
			return last, corrupt(fmt.Sprintf("%s:%d", d.logPath(), f.offset), "%v", err)
		}
		if is(c.position) {
			last = pastCommit{c.position, offset}
		}
	}
	return last, nil
}

// restoreKept makes kept files those of the index again, if there is a commit that is wanted in
// their log.
func (s *Store) restoreKept(
	k keptState, is func(Position) bool, begin func(Position) error,
) (done bool, err error) {
	d := &directory{path: s.dir, manifest: k.manifest}
	defer func() { d.close() }()
	if err := d.open(s.env, false); err != nil {
		return false, err
	}
	target, err := d.lastCommit(is, d.state.length+1)
	if err != nil || target.end == 0 {
		return false, err
	}
	return true, s.restore(d, target, begin)
}

// restore commits the state of some files as of a commit in their log, by a log that has no more.
// The commit is the replacement of MANIFEST.
func (s *Store) restore(d *directory, target pastCommit, begin func(Position) error) error {
	if begin != nil {
		if err := begin(target.position); err != nil {
			return err
		}
	}
	end := target.end
	series, err := s.nextSeries()
	if err != nil {
		return err
	}
	next := &manifest{
		parameters: d.manifest.parameters, bases: d.manifest.bases, log: logName(series), logLength: end,
		undone: undone{end, s.undone},
	}
	if err := s.copyLog(filepath.Join(s.dir, next.log), d.log, fingerprint(next.parameters), series, end); err != nil {
		return err
	}
	if err := replaceManifest(s.env.files, s.dir, next); err != nil {
		return err
	}
	s.manifest, s.series = next, series
	return s.removeUndone(d.series)
}

// copyLog makes a log of the first frames of another one.
func (s *Store) copyLog(path string, from io.ReaderAt, print xxh3.Uint128, series uint64, end int64) error {
	return writeFile(s.env.files, path, func(f file) error {
		_, err := f.WriteAt(encodeLogHeader(print, series), 0)
		part := make([]byte, 1<<20)
		for at := int64(logHeaderSize); at < end && err == nil; {
			part = part[:min(int64(len(part)), end-at)]
			if _, err = from.ReadAt(part, at); err == nil || err == io.EOF {
				_, err = f.WriteAt(part, at)
			}
			at += int64(len(part))
		}
		return err
	})
}

// removeUndone removes what neither the restored MANIFEST nor a state that is older than it names.
func (s *Store) removeUndone(series uint64) error {
	names, err := s.env.files.List(s.dir)
	if err != nil {
		return err
	}
	if s.kept, err = keptStates(s.env.files, s.dir, s.manifest.log); err != nil {
		return err
	}
	s.kept = slices.DeleteFunc(s.kept, func(k keptState) bool { return k.series >= series })
	named := s.namedFiles()
	for _, name := range names {
		_, isFile := isIndexFile(name)
		_, _, isUndo := parseUndoName(name)
		if (isFile || isUndo) && !named[name] {
			_ = s.env.files.Remove(filepath.Join(s.dir, name))
		}
	}
	return nil
}

// namedFiles are the files of the index, and those that are kept.
func (s *Store) namedFiles() map[string]bool {
	named := map[string]bool{manifestName: true, s.manifest.log: true}
	for _, name := range s.manifest.baseNames() {
		named[name] = true
	}
	for _, k := range s.kept {
		named[k.name], named[k.manifest.log] = true, true
		for _, name := range k.manifest.baseNames() {
			named[name] = true
		}
	}
	return named
}
