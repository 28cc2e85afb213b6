package method

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// OpenAsked opens the memory in dir, as of its last commit. It is only asked; a writer may go on.
func OpenAsked(
	dir string, bands int, identity []bloomlsh.Parameter, kind *ExactKind,
) (*memory.Named, error) {
	committed, err := lastCommitOf(dir, bands, identity)
	if err != nil {
		return nil, err
	}
	if committed.Windows != nil {
		return openAskedWindows(dir, bands, identity, kind)
	}
	file, committed, err := openCommitted(dir, bands, identity)
	if err != nil {
		return nil, err
	}
	a, err := memory.ReadNamed(kind.begin, "", file, committed.Bytes)
	if err != nil {
		return nil, damagedExact(file.Name(), err)
	}
	return a, nil
}

// openCommitted opens the log in dir, for reading, and says what the last commit says of it. Where
// no commit speaks of a log, as after the only run was taken back, none may be there: then it is an
// empty one.
func openCommitted(
	dir string, bands int, identity []bloomlsh.Parameter,
) (file *os.File, committed ExactCommit, err error) {
	file, err = steadily(dir, func() (*os.File, error) {
		if committed, err = lastCommitOf(dir, bands, identity); err != nil {
			return nil, err
		}
		name := committed.logName()
		if committed.Windows != nil {
			name = committed.Windows.Log()
		}
		if committed.Bytes == 0 {
			return os.Open(os.DevNull)
		}
		return os.Open(filepath.Join(dir, name))
	})
	return file, committed, err
}

// lastCommitOf is what the last commit of the index in dir says, of that identity.
func lastCommitOf(dir string, bands int, identity []bloomlsh.Parameter) (ExactCommit, error) {
	filters, err := bloomlsh.OpenReadOnly(dir, bands, identity)
	if err != nil {
		return ExactCommit{}, err
	}
	committed, err := exactCommitOf(filters.Committed(), dir)
	return committed, errors.Join(err, filters.Close())
}

const (
	changingAtMost = 10 // times that an index is opened because it has changed meanwhile
	missingAtMost  = 3  // the same, because a file is missing that its commit names
)

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
