package method

import (
	"errors"
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
