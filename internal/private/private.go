// Package private creates what only its user may read: the directory of an index, and unnamed
// files.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Directory is the mode of the directory of a new index.
const Directory fs.FileMode = 0o700

// Temporary creates a file with a random name in dir, or in the system's directory for temporary
// files if dir is empty. In that case an error mentions TMPDIR.
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
	return nil, fmt.Errorf("make a temporary file in %s: %w: set TMPDIR to a directory with free space that can be "+
		"written", os.TempDir(), err)
}

// Unnamed creates a file that no other program sees, and that is deleted when it is closed, in dir,
// or in the system's directory for temporary files (TMPDIR) if dir is empty. An error names a file
// that could not be unlinked.
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
