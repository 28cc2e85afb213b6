package bloomlsh

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
	dir  string
	env  environment // its files contain the directory
	held dirFiles
	lock io.Closer
}

func lockDir(env environment, dir string) (*workDir, error) {
	held, err := env.files.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	lock, err := held.Lock(filepath.Join(dir, lockName))
	if err != nil {
		err = lockError(dir, errors.Join(err, held.Close()))
		return nil, err
	}
	env.files = held
	return &workDir{dir: dir, env: env, held: held, lock: lock}, nil
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

// unlock gives back the lock and the directory.
func (w *workDir) unlock() error { return errors.Join(w.lock.Close(), w.held.Close()) }

// checkEmpty refuses a directory whose MANIFEST is lost. An interrupted creation leaves one log, of
// nothing, and perhaps a MANIFEST that was not yet renamed.
func (w *workDir) checkEmpty() error {
	names, err := w.env.files.List(w.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, ok := isIndexFile(name)
		_, _, isUndo := parseUndoName(name)
		if !ok && !isUndo || name == newManifestName {
			continue
		}
		path := filepath.Join(w.dir, name)
		if name == logName(1) && w.isOwn(name) {
			size, err := fileSize(w.env.files, path)
			if err != nil {
				return err
			}
			if size <= framelog.HeaderBytes+framelog.Overhead+commitCounts*8 {
				continue
			}
		}
		return corrupt(path, "it is here and MANIFEST is not")
	}
	return nil
}

// isOwn reports whether a file called like one of an index begins like one, as far as it goes: what
// a crash has left of it may be nothing, or zeros.
func (w *workDir) isOwn(name string) bool {
	magic := framelog.Named(logHolds)
	switch {
	case !strings.Contains(name, "-"):
		return true // MANIFEST and MANIFEST.new
	case strings.HasPrefix(name, "base-"):
		magic = framelog.Named(baseHolds)
	}
	f, err := w.env.files.Open(filepath.Join(w.dir, name), false)
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
	return bytes.HasPrefix(magic, head) || len(bytes.Trim(head, "\x00")) == 0
}

// markWriting makes that mark, durably, before anything is appended.
func (w *workDir) markWriting() error {
	f, err := w.env.files.Create(filepath.Join(w.dir, writingName))
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return w.env.files.SyncDir(w.dir)
}

// checkSpace returns an error if the disk cannot take filters of that many bytes once more, or if
// the system does not say.
func (w *workDir) checkSpace(bytes uint64) error {
	free, err := w.env.files.Free(w.dir)
	if need := bytes + bytes/16; err == nil && free < need {
		err = fmt.Errorf("%s: there is no room on the disk to write the filters again: %s are needed, %s are free",
			w.dir, units.Bytes(need), units.Bytes(free))
	}
	return err
}

// beginMerge marks the directory, so that a merge that is broken off can be run again: as long as
// the mark is there, nothing else in the directory counts. fold removes the mark when MANIFEST is
// there; if not, the next Open does. If the same sources were merged to the directory already, the
// merge is complete.
func (w *workDir) beginMerge(sources []byte) (complete bool, err error) {
	names, err := w.env.files.List(w.dir)
	switch {
	case err != nil:
		return false, err
	case slices.Contains(names, mergingName):
		if err := w.removeIndex(names); err != nil {
			return false, err
		}
		return false, w.writeSmall(mergedName, sources)
	case slices.Contains(names, manifestName):
		merged, err := readSmall(w.env.files, filepath.Join(w.dir, mergedName))
		if err == nil && bytes.Equal(merged, sources) {
			return true, nil
		}
		return false, fmt.Errorf("%s: there is an index already: give a new directory", w.dir)
	}
	if err := w.checkEmpty(); err != nil {
		return false, err
	}
	if err := w.writeSmall(mergingName, nil); err != nil {
		return false, err
	}
	return false, w.writeSmall(mergedName, sources)
}

// writeSmall writes a file durably.
func (w *workDir) writeSmall(name string, content []byte) error {
	if err := writeFile(w.env.files, filepath.Join(w.dir, name), writing(content)); err != nil {
		return err
	}
	return w.env.files.SyncDir(w.dir)
}

// removeIndex removes what a merge has left that was broken off.
func (w *workDir) removeIndex(names []string) error {
	for _, name := range names {
		_, ok := isIndexFile(name)
		_, _, isUndo := parseUndoName(name)
		if ok || isUndo {
			if err := w.env.files.Remove(filepath.Join(w.dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyLog makes a log of the first frames of another one.
func (w *workDir) copyLog(path string, from io.ReaderAt, print xxh3.Uint128, series uint64, end int64) error {
	return writeFile(w.env.files, path, func(f file) error {
		log, err := framelog.NewWriter(f, 0, logHeader(print, series))
		if err != nil {
			return err
		}
		at, err := log.Flush()
		part := make([]byte, 1<<20)
		for at < end && err == nil {
			part = part[:min(int64(len(part)), end-at)]
			if _, err = from.ReadAt(part, at); err == nil || err == io.EOF {
				_, err = f.WriteAt(part, at)
			}
			at += int64(len(part))
		}
		return err
	})
}
