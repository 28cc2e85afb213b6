package method

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Undoing a run truncates the logs of an index, and what follows will be written again. A reader
// may have such a log open, at a commit that is being undone, so it is never truncated in place:
// the part that still counts is copied to a file called NAME.undo, which takes the name of the log
// once the index is undone. A reader keeps the file that it has open.
//
// A copy has the length that its commit gives the log. So after a crash its length shows whether
// that commit was reached: then the copy takes its name, else it is removed.

const (
	undoSuffix    = ".undo"
	undoingSuffix = ".undo.new" // a copy that may not be complete

	changingAtMost = 10 // times that an index is opened because it has changed meanwhile
	missingAtMost  = 3  // the same, because a file is missing that its commit names
)

// BeginUndo copies, of each log in dir that is longer than a commit counts on, the part that it
// counts on. Nothing changes before FinishUndo.
func BeginUndo(dir *store.Dir, committed *ExactCommit) error {
	for _, f := range ExactFiles(committed) {
		info, err := dir.Stat(f.Name)
		if err == nil && info.Size() <= f.Bytes {
			continue
		}
		if err == nil {
			err = copyStart(dir, f.Name, f.Bytes)
		}
		if err != nil {
			return fmt.Errorf("keep what counts of %s: %w", filepath.Join(dir.Path(), f.Name), err)
		}
	}
	return dir.Sync()
}

// copyStart makes a durable copy of the first bytes of a log.
func copyStart(dir *store.Dir, log string, bytes int64) (err error) {
	from, err := dir.Open(log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := dir.Create(log + undoingSuffix)
	if err != nil {
		return err
	}
	_, err = io.CopyN(to, from, bytes)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = dir.Rename(log+undoingSuffix, log+undoSuffix)
	}
	if err != nil {
		err = errors.Join(err, dir.Remove(log+undoingSuffix))
	}
	return err
}

// FinishUndo renames the copies that BeginUndo has made for the last commit of the index in dir to
// their logs, and removes those made for another commit. Without copies it does nothing.
func FinishUndo(dir *store.Dir, committed *ExactCommit) error {
	names, err := dir.List()
	if err != nil {
		return err
	}
	lengths := map[string]int64{}
	for _, f := range ExactFiles(committed) {
		lengths[f.Name] = f.Bytes
	}
	changed := false
	for _, name := range names {
		log, isCopy := strings.CutSuffix(name, undoSuffix)
		if !isCopy || !isExactLog(log) {
			continue
		}
		info, err := dir.Stat(name)
		if err != nil {
			return err
		}
		if length, counts := lengths[log]; counts && length == info.Size() {
			err = dir.Rename(name, log)
		} else {
			err = dir.Remove(name)
		}
		if err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return dir.Sync()
}

// steadily opens something that consists of several files of the index in dir. It retries if the
// index was undone in the meantime, or if a file is gone that a later commit does not need, since
// the files may then belong to two states.
func steadily[T io.Closer](dir string, open func() (T, error)) (opened T, err error) {
	var none T
	for try := 1; ; try++ {
		before, err := bloomlsh.ReadSeries(dir)
		if err != nil {
			return none, err
		}
		opened, err = open()
		after, failed := bloomlsh.ReadSeries(dir)
		hasGone := errors.Is(err, fs.ErrNotExist) && try < missingAtMost
		if failed == nil && after == before && !hasGone {
			return opened, err
		}
		if err == nil {
			err = opened.Close()
		}
		if failed != nil {
			return none, errors.Join(failed, err)
		}
		if try == changingAtMost {
			return none, errors.Join(fmt.Errorf("%s: it changes again and again while it is opened: try again when "+
				"nobody takes runs back or compacts it", dir), err)
		}
	}
}
