package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A Listed is a file of a State.
type Listed struct {
	Name  string
	Bytes int64 // from the start of the file; what follows does not count
}

// A State lists the append-only files in a directory that a commit depends on. It is the only place
// that knows them: whatever verifies, undoes or removes something goes by this list.
//
// Readers may have any of these files open, at a later commit that is being undone. So no file is
// truncated that such a commit has counted on: the part that still counts is copied to a file
// called NAME.undo, which takes the name of the file once the index is undone. A reader keeps the
// file that it has open.
type State struct {
	Files []Listed
	// Owns reports whether a name is one that such files have in some state. If it is nil, files
	// that are not listed are left alone.
	Owns func(name string) bool
	// Keeps reports whether a file that is not listed is still needed, for instance to undo a run.
	// Nothing is appended to such files; they may be missing. It may be nil.
	Keeps func(name string) bool
}

const (
	undoSuffix    = ".undo"
	undoingSuffix = ".undo.new" // a copy that may be incomplete
)

// length returns the length of a listed file.
func (s State) length(name string) (bytes int64, isListed bool) {
	i := slices.IndexFunc(s.Files, func(f Listed) bool { return f.Name == name })
	if i < 0 {
		return 0, false
	}
	return s.Files[i].Bytes, true
}

// own returns the names in a directory that such files have, listed or not, with a suffix removed
// that all of them must have.
func (s State) own(dir *Dir, suffix string) (names []string, err error) {
	if s.Owns == nil {
		return nil, nil
	}
	there, err := dir.List()
	slices.Sort(there)
	for _, name := range there {
		if name, has := strings.CutSuffix(name, suffix); has && s.Owns(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// Exists reports whether a directory has all listed files, each with at least its length.
func (s State) Exists(dir *Dir) bool {
	return !slices.ContainsFunc(s.Files, func(f Listed) bool {
		info, err := dir.Stat(f.Name)
		return err != nil || info.Size() < f.Bytes
	})
}

// Kept returns the files that are kept beside the listed ones, with their lengths.
func (s State) Kept(dir *Dir) (kept []Listed, err error) {
	names, err := s.own(dir, "")
	for _, name := range names {
		if _, isListed := s.length(name); isListed || !s.keeps(name) {
			continue
		}
		if info, gone := dir.Stat(name); gone == nil {
			kept = append(kept, Listed{name, info.Size()})
		}
	}
	return kept, err
}

func (s State) keeps(name string) bool { return s.Keeps != nil && s.Keeps(name) }

// RemoveOthers removes the files that the state neither lists nor keeps. If it fails, the next
// program that writes does it.
func (s State) RemoveOthers(dir *Dir) error {
	names, err := s.own(dir, "")
	for _, name := range names {
		if _, isListed := s.length(name); !isListed && !s.keeps(name) {
			err = errors.Join(err, dir.Remove(name))
		}
	}
	return err
}

// Cut durably cuts off what follows the length of each listed file: what was appended and not
// committed, which no reader counts on.
func (s State) Cut(dir *Dir) (err error) {
	for _, f := range s.Files {
		info, failed := dir.Stat(f.Name)
		if failed == nil && info.Size() > f.Bytes {
			failed = cut(dir, f)
		}
		if !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

func cut(dir *Dir, f Listed) error {
	file, err := dir.OpenForWriting(f.Name)
	if err != nil {
		return err
	}
	if err = file.Truncate(f.Bytes); err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// BeginUndo prepares taking a directory back to the state: it copies what counts of the files that
// are longer. Nothing changes before FinishUndo.
func (s State) BeginUndo(dir *Dir) error {
	for _, f := range s.Files {
		info, err := dir.Stat(f.Name)
		if err == nil && info.Size() <= f.Bytes {
			continue
		}
		if err == nil {
			err = copyStart(dir, f)
		}
		if err != nil {
			return fmt.Errorf("keep what counts of %s: %w", filepath.Join(dir.Path(), f.Name), err)
		}
	}
	return dir.Sync()
}

// copyStart makes a durable copy of the part of a file that counts.
func copyStart(dir *Dir, f Listed) error {
	err := dir.Derive(f.Name, f.Name+undoingSuffix, func(from, to *File) error {
		if _, err := io.CopyN(to, from, f.Bytes); err != nil {
			return err
		}
		return to.Sync()
	})
	if err != nil {
		return err
	}
	return dir.Rename(f.Name+undoingSuffix, f.Name+undoSuffix)
}

// FinishUndo gives the copies that BeginUndo has made for this state the names of their files, and
// removes those made for another one. A copy has the length that its commit gives the file, so
// after a crash the length shows whether that commit was reached. Without copies it does nothing.
func (s State) FinishUndo(dir *Dir) error {
	incomplete, err := s.own(dir, undoingSuffix)
	for _, name := range incomplete {
		err = errors.Join(err, dir.Remove(name+undoingSuffix))
	}
	if err != nil {
		return err
	}
	names, err := s.own(dir, undoSuffix)
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		undone := name + undoSuffix
		info, err := dir.Stat(undone)
		if err != nil {
			return err
		}
		if length, isListed := s.length(name); isListed && length == info.Size() {
			err = dir.Rename(undone, name)
		} else {
			err = dir.Remove(undone)
		}
		if err != nil {
			return err
		}
	}
	return dir.Sync()
}
