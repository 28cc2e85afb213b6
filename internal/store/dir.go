package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// ErrReplaced is returned if a path no longer leads to the directory that was opened: it was
// renamed or deleted, and something else may have its name.
var ErrReplaced = errors.New("it is not the directory any more that this program has opened: it was " +
	"renamed, deleted or replaced meanwhile")

// A Dir is an open directory. Its methods take the names of files in it, and act on this directory
// even after its path was given to another one. It is safe for concurrent use.
type Dir struct {
	root *os.Root
	path string
	is   fs.FileInfo
}

// OpenDir opens a directory.
func OpenDir(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return newDir(root, path)
}

func newDir(root *os.Root, path string) (*Dir, error) {
	is, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root, path, is}, nil
}

// Path returns the path with which the directory was opened.
func (d *Dir) Path() string { return d.path }

// IsSame reports whether both are the same directory.
func (d *Dir) IsSame(other *Dir) bool { return os.SameFile(d.is, other.is) }

// CheckNotMoved returns ErrReplaced if the path of the directory no longer leads to it.
func (d *Dir) CheckNotMoved() error {
	now, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(d.is, now) {
		return fmt.Errorf("%s: %w", d.path, ErrReplaced)
	}
	return err
}

// Sub opens a subdirectory.
func (d *Dir) Sub(name string) (*Dir, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.named(err, name)
	}
	return newDir(root, filepath.Join(d.path, name))
}

// Make creates a subdirectory with the same mode, and makes its name durable. It may exist already.
func (d *Dir) Make(name string) error {
	err := d.watched(MakeDir, name, func() error {
		if err := d.root.Mkdir(name, d.mode()); !errors.Is(err, fs.ErrExist) {
			return d.named(err, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.Sync()
}

// Create creates a file for reading and writing, with the permissions of the directory. An existing
// file loses the name but is not changed, so whoever has it open can continue reading.
func (d *Dir) Create(name string) (*File, error) {
	if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return d.OpenWith(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

// Open opens a file for reading.
func (d *Dir) Open(name string) (*File, error) { return d.OpenWith(name, os.O_RDONLY) }

// OpenForWriting opens an existing file for reading and writing.
func (d *Dir) OpenForWriting(name string) (*File, error) { return d.OpenWith(name, os.O_RDWR) }

// OpenOrCreate is OpenForWriting, but creates the file if it does not exist.
func (d *Dir) OpenOrCreate(name string) (*File, error) {
	return d.OpenWith(name, os.O_RDWR|os.O_CREATE)
}

// OpenWith is os.OpenFile for a file in the directory. A file that it creates has the permissions
// of the directory.
func (d *Dir) OpenWith(name string, flags int) (*File, error) {
	return openWatched(filepath.Join(d.path, name), flags, func() error {
		_, err := d.root.Stat(name)
		return err
	}, func() (*os.File, error) {
		file, err := d.root.OpenFile(name, flags, d.mode()&0o666)
		if flags&os.O_CREATE != 0 && errors.Is(err, fs.ErrNotExist) {
			if gone := d.CheckNotMoved(); gone != nil { // a deleted directory accepts no files
				return nil, gone
			}
		}
		return file, d.named(err, name)
	})
}

// Write durably writes a whole file, which replaces any file of that name.
func (d *Dir) Write(name string, content []byte) error {
	if err := d.Fill(name, holding(content)); err != nil {
		return err
	}
	return d.Sync()
}

// Replace is Write, but a file of that name has its old content or the new one at any time.
func (d *Dir) Replace(name string, content []byte) error {
	if err := d.Fill(name+".new", holding(content)); err != nil {
		return err
	}
	if err := d.Rename(name+".new", name); err != nil {
		return err
	}
	return d.Sync()
}

// holding returns what Fill calls to write a content.
func holding(content []byte) func(*File) error {
	return func(f *File) error {
		_, err := f.Write(content)
		return err
	}
}

// Fill creates a file, has write fill it, and flushes its contents. Its name is not durable yet.
func (d *Dir) Fill(name string, write func(*File) error) error {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Lock locks a file, which is created if it does not exist, as the function Lock does. Closing the
// file gives up the lock.
func (d *Dir) Lock(name string) (*File, error) {
	f, err := d.OpenOrCreate(name)
	if err != nil {
		return nil, err
	}
	if err := Lock(f.File); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Derive creates a file from another one: write reads the one and fills the other. After an error
// the other one is removed.
func (d *Dir) Derive(from, to string, write func(from, to *File) error) (err error) {
	old, err := d.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	file, err := d.Create(to)
	if err != nil {
		return err
	}
	if err = errors.Join(write(old, file), file.Close()); err != nil {
		err = errors.Join(err, d.Remove(to))
	}
	return err
}

// Rename renames a file, replacing any file with the new name.
func (d *Dir) Rename(from, to string) error {
	o := Operation{Kind: Rename, Path: filepath.Join(d.path, from), To: filepath.Join(d.path, to)}
	return watched(o, func() error { return d.named(d.root.Rename(from, to), from) })
}

// Remove removes a file or an empty directory.
func (d *Dir) Remove(name string) error {
	return d.watched(Remove, name, func() error { return d.named(d.root.Remove(name), name) })
}

// Stat describes a file.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	if err := reading(Stat, filepath.Join(d.path, name)); err != nil {
		return nil, err
	}
	info, err := d.root.Stat(name)
	return info, d.named(err, name)
}

// List returns the names in the directory.
func (d *Dir) List() ([]string, error) {
	if err := reading(List, d.path); err != nil {
		return nil, err
	}
	dir, err := d.root.Open(".")
	if err != nil {
		return nil, d.named(err, "")
	}
	names, err := dir.Readdirnames(-1)
	return names, errors.Join(d.named(err, ""), dir.Close())
}

// Sync makes changes to the directory durable: created, renamed and removed files.
func (d *Dir) Sync() error {
	return d.watched(SyncDir, "", func() error {
		dir, err := d.root.Open(".")
		if err == nil {
			err = errors.Join(dir.Sync(), dir.Close())
		}
		if err != nil {
			return fmt.Errorf("sync directory %s: %w", d.path, err)
		}
		return nil
	})
}

// Close closes the directory. Open files stay open.
func (d *Dir) Close() error { return d.root.Close() }

// mode returns the present mode of the directory, or 0700 if it cannot be read.
func (d *Dir) mode() fs.FileMode {
	info, err := d.root.Stat(".")
	if err != nil {
		return private.Directory
	}
	return info.Mode().Perm()
}

func (d *Dir) watched(kind Kind, name string, do func() error) error {
	return watched(Operation{Kind: kind, Path: filepath.Join(d.path, name)}, do)
}

// named adds the operation and the path to an error, as package os does.
func (d *Dir) named(err error, name string) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		of.Op, of.Path = strings.TrimSuffix(of.Op, "at"), filepath.Join(d.path, name)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		link.Op = strings.TrimSuffix(link.Op, "at")
		link.Old, link.New = filepath.Join(d.path, link.Old), filepath.Join(d.path, link.New)
	}
	return err
}
