// Package private has what nobody but its user may read: the mode of the directory of an index, and
// files without a name.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Directory is the mode of the directory of an index that is made anew.
const Directory fs.FileMode = 0o700

// Temporary is a new file with a random name in dir, or where the system keeps temporary files if
// that is empty. The error then says that TMPDIR names another place.
func Temporary(dir, pattern string) (*os.File, error) {
	file, err := os.CreateTemp(dir, pattern)
	if err == nil {
		return file, nil
	}
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err // the path is random
	}
	if dir != "" {
		return nil, fmt.Errorf("make a temporary file in %s: %w", dir, err)
	}
	return nil, fmt.Errorf("make a temporary file in %s: %w: set TMPDIR to a directory that has room and can be "+
		"written", os.TempDir(), err)
}

// Unnamed is a file that no other program sees, and that is gone when it is closed. It is in dir,
// or where the system keeps temporary files, which TMPDIR says, if that is empty. The error names a
// file that keeps its name.
func Unnamed(dir string) (*os.File, error) {
	file, err := Temporary(dir, ".mithril-stream-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("take away the name of a temporary file: %w", err), file.Close())
	}
	return file, nil
}
