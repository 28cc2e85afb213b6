package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The following functions are for files outside of a Dir: outputs, which have paths of their own.

// OpenFile is os.OpenFile, and reports a file that it creates.
func OpenFile(path string, flags int, mode fs.FileMode) (*File, error) {
	return openWatched(path, flags, func() error {
		_, err := os.Lstat(path)
		return err
	}, func() (*os.File, error) { return os.OpenFile(path, flags, mode) })
}

// openWatched opens a file, and reports it if it did not exist.
func openWatched(path string, flags int, exists func() error, open func() (*os.File, error)) (*File, error) {
	w, o := watcher.Load(), Operation{Kind: Create, Path: path}
	creates := w != nil && flags&os.O_CREATE != 0 && errors.Is(exists(), fs.ErrNotExist)
	announce := func() error { return reading(Open, path) }
	if creates {
		announce = func() error { return w.before(o) }
	}
	if err := announce(); err != nil {
		return nil, err
	}
	f, err := open()
	if err == nil && creates {
		o.Inode = inodeOf(f)
		w.after(o)
	}
	return fileOf(f, err)
}

func fileOf(f *os.File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// RenamePath is os.Rename.
func RenamePath(from, to string) error {
	return watched(Operation{Kind: Rename, Path: from, To: to}, func() error { return os.Rename(from, to) })
}

// RemovePath is os.Remove.
func RemovePath(path string) error {
	return watched(Operation{Kind: Remove, Path: path}, func() error { return os.Remove(path) })
}

// SyncPath makes changes to a directory durable: created, renamed and removed files.
func SyncPath(dir string) error {
	d, err := OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MakeDirPath is os.Mkdir, and makes the name durable. The directory may exist.
func MakeDirPath(dir string, mode fs.FileMode) error {
	made := false
	err := watched(Operation{Kind: MakeDir, Path: dir}, func() error {
		err := os.Mkdir(dir, mode)
		if made = err == nil; errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
	if err != nil || !made {
		return err
	}
	return SyncPath(filepath.Dir(dir))
}

// MakePath is os.MkdirAll, and makes the names of the directories that it creates durable.
func MakePath(dir string, mode fs.FileMode) error {
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	dir = filepath.Clean(dir)
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakePath(parent, mode); err != nil {
			return err
		}
	}
	return MakeDirPath(dir, mode)
}
