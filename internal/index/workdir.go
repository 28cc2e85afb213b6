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

// A workDir is the directory of an index that is open for writing: this process has its lock.
// Everything happens in the directory that was opened, even if that is renamed.
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
		return fmt.Errorf("%w: an index is written to by who may write in its directory; others "+
			"can open it read-only", err)
	}
	return err
}

// unlock gives back the lock and the directory.
func (w *workDir) unlock() error { return errors.Join(w.lock.Close(), w.files.Close()) }

// checkEmpty refuses a directory whose MANIFEST is lost. An interrupted creation leaves one log, of
// nothing, and perhaps a MANIFEST that was not yet renamed. Other names may be excepted.
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

// goesOn reports whether a log of commits has more than the commit that it begins with, which may
// be incomplete.
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

// mostFirst is more than the payload of the first commit of a log that a crash has left incomplete:
// of an index that is empty, or of a merge.
const mostFirst = 64 << 10

// isOwn reports whether a file called like one of an index begins like one, as far as it goes: what
// a crash has left of it may be nothing, or zeros. What cannot be read is taken for a log, whose
// name is one that only an index has.
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

// markWriting makes the mark that a program writes, durably, before anything is appended.
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

// checkSpace returns an error if the disk cannot take filters of that many bytes once more, or if
// the system does not say.
func (w *workDir) checkSpace(bytes uint64) error {
	free, err := w.env.Free(w.files)
	if need := bytes + bytes/16; err == nil && free < need {
		err = fmt.Errorf("%s: there is no room on the disk to write the filters again: %s are needed, %s are free",
			w.files.Path(), units.Bytes(need), units.Bytes(free))
	}
	return err
}

// beginMerge notes what is merged to the directory, before anything of it is there. If there is no
// MANIFEST yet, a merge that was cut off starts over. If the same sources were merged to the
// directory already, the merge is complete.
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

// copyLog makes a log of the first frames of another one.
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
