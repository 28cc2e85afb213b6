// Package private says who may read and write what an index is made of: nobody but the user who has
// made it, unless its directory was opened to others. The umask takes away from that as ever.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Directory is the mode of the directory of an index that is made anew.
const Directory fs.FileMode = 0o700

// File is the mode of a file that is made under a name: who may read or write in its directory may
// do so with the file.
func File(name string) fs.FileMode { return within(name) & 0o666 }

// Subdirectory is the mode of a directory that is made under a name within that of an index.
func Subdirectory(name string) fs.FileMode { return within(name) }

// Create makes a file with the mode of File. One that has the name loses it, and is not changed:
// who has it open goes on reading what it held.
func Create(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, File(name))
}

// within is the mode of the directory that a name is in; one that cannot be asked is its user's
// alone.
func within(name string) fs.FileMode {
	info, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return Directory
	}
	return info.Mode().Perm()
}

// Unnamed is a file that no other program sees, and that is gone when it is closed. It is in dir,
// or where the system keeps temporary files, which TMPDIR says, if that is empty. The error names a
// file that keeps its name.
func Unnamed(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, ".mithril-stream-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("take away the name of a temporary file: %w", err), file.Close())
	}
	return file, nil
}
