package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A workDir is the directory of an index open for writing: this process holds its lock. All
// operations use the directory that was opened, even if it is renamed.
type workDir struct {
	files *store.Dir
	env   Environment
	lock  *store.File
}

func lockDir(env Environment, path string) (*workDir, error) {
	files, err := store.OpenDir(path)
	if err != nil {
		return nil, err
	}
	lock, err := files.Lock(lockName)
	if err != nil {
		return nil, lockError(path, errors.Join(err, files.Close()))
	}
	return &workDir{files, env, lock}, nil
}

func lockError(dir string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		by := ""
		var held store.HeldError
		if errors.As(err, &held) {
			by = held.By + ": "
		}
		return fmt.Errorf("%s: %w: %swait until it has finished, or open the index read-only", dir, ErrLocked, by)
	case errors.Is(err, store.ErrNoLocks):
		return fmt.Errorf("%s: %w: two programs could write to the index at once: put it on a local disk, or mount "+
			"the file system with locks", dir, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: only those who may write in its directory can write to an index; others can open it "+
			"read-only", err)
	}
	return err
}

// unlock releases the lock and the directory.
func (w *workDir) unlock() error { return errors.Join(w.lock.Close(), w.files.Close()) }

// checkEmpty returns an error if a directory without MANIFEST contains files of an index. An
// interrupted creation leaves one log without records, and perhaps a MANIFEST not yet renamed.
// Names in except are allowed.
func (w *workDir) checkEmpty(except []string) error {
	names, err := w.files.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		_, ok := isIndexFile(name)
		_, _, isUndo := parseUndoName(name)
		if !ok && !isUndo || name == newManifestName || slices.Contains(except, name) {
			continue
		}
		if name == logName(1) && w.isOwn(name) {
			goesOn, err := w.goesOn(name)
			if err != nil {
				return err
			}
			if !goesOn {
				continue
			}
		}
		return Corrupt(filepath.Join(w.files.Path(), name), "it is here and MANIFEST is not")
	}
	return nil
}

// goesOn reports whether a log of commits contains more than its first commit, which may be
// incomplete.
func (w *workDir) goesOn(name string) (bool, error) {
	f, err := w.files.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size <= framelog.HeaderBytes {
		return false, err
	}
	first, err := framelog.NewReader(f, size).At(framelog.HeaderBytes)
	if errors.Is(err, framelog.ErrCorrupt) {
		return size > framelog.HeaderBytes+framelog.Overhead+mostFirst, nil
	}
	return err == nil && size > first.End, err
}

// mostFirst is an upper bound on the payload of the first commit in a log that a crash has left
// incomplete, for an empty index or a merge.
const mostFirst = 64 << 10

// isOwn reports whether a file with the name of an index file may be one, judging by its first
// bytes: after a crash it may be empty or contain zeros. A log that cannot be read is taken for
// one, since only an index uses that name.
func (w *workDir) isOwn(name string) bool {
	if !strings.Contains(name, "-") && !isLog(name) {
		return true // MANIFEST and MANIFEST.new
	}
	magic := magicOf(name)
	f, err := w.files.Open(name)
	if err != nil {
		return isLog(name)
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return isLog(name)
	}
	head = head[:n]
	return bytes.HasPrefix(magic, head) || len(bytes.Trim(head, "\x00")) == 0
}

// markWriting durably creates the marker of a writing program, before anything is appended.
func (w *workDir) markWriting() error {
	f, err := w.files.Create(writingName)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return w.files.Sync()
}

// checkSpace returns an error if the disk has no space for another set of filters of that size, or
// if the system does not tell.
func (w *workDir) checkSpace(bytes uint64) error {
	free, err := w.env.Free(w.files)
	if need := bytes + bytes/16; err == nil && free < need {
		err = fmt.Errorf("%s: there is no room on the disk to write the filters again: %s are needed, %s are free",
			w.files.Path(), units.Bytes(need), units.Bytes(free))
	}
	return err
}

// beginMerge records in the directory what is merged to it, before writing anything else. If there
// is no MANIFEST yet, an interrupted merge starts over. If the same sources have already been
// merged to the directory, the merge is complete.
func (w *workDir) beginMerge(sources []byte) (complete bool, err error) {
	names, err := w.files.List()
	if err != nil {
		return false, err
	}
	merged, err := readSmall(w.files, mergedName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if slices.Contains(names, ManifestFile) {
		if err == nil && bytes.Equal(merged, sources) {
			return true, nil
		}
		return false, fmt.Errorf("%s: there is an index already: give a new directory", w.files.Path())
	}
	var begun []string
	for _, name := range names {
		series, ok := isIndexFile(name)
		if !ok || series > 1 || err != nil || !w.isOwn(name) {
			continue
		}
		if name == logName(series) {
			goesOn, failed := w.goesOn(name)
			if failed != nil {
				return false, failed
			}
			if goesOn {
				return false, fmt.Errorf("%s: %w: MANIFEST is missing, and %s goes on after a merge: "+
					"restore MANIFEST from a copy, or merge to a new directory", w.files.Path(), ErrCorrupt, name)
			}
		}
		begun = append(begun, name)
	}
	if err := w.checkEmpty(begun); err != nil {
		return false, err
	}
	for _, name := range begun {
		if err := w.files.Remove(name); err != nil {
			return false, err
		}
	}
	return false, w.files.Write(mergedName, sources)
}

// copyLog creates a log from the first frames of another one.
func (w *workDir) copyLog(name string, from io.ReaderAt, print xxh3.Uint128, series uint64, end int64) error {
	return w.files.Fill(name, func(f *store.File) error {
		log, err := framelog.NewWriter(f, 0, commitsHeader(print, series))
		if err != nil {
			return err
		}
		at, err := log.Flush()
		if err != nil {
			return err
		}
		_, err = io.Copy(io.NewOffsetWriter(f, at), io.NewSectionReader(from, at, end-at))
		return err
	})
}
