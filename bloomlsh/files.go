package bloomlsh

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// fileSystem is every operation on files that a durable index needs, so that tests can fail each of
// them and lose what was not flushed.
type fileSystem interface {
	MakeDir(name string) error // durably; it may exist
	List(dir string) ([]string, error)
	Create(name string) (file, error) // replaces
	Open(name string, forWriting bool) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error // flushes creations, renames and removals
	Lock(name string) (io.Closer, error)
	Free(dir string) (uint64, error) // bytes that files in dir can still take
	// OpenDir returns the same operations for files in one directory alone, which is held open:
	// they act on that, also if its path leads elsewhere later.
	OpenDir(dir string) (dirFiles, error)
}

// dirFiles are the files of a directory that is held open.
type dirFiles interface {
	fileSystem
	CheckNotMoved() error // an error if the path of the directory leads elsewhere
	io.Closer
}

type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	Sync() error // flushes the contents to disk
}

// environment is what an index takes from the system it runs on.
type environment struct {
	files  fileSystem
	memory memoryGauge
	minLog int64 // a log up to this length is never folded
	frame  int   // the longest payload of a frame of keys, if one record fits into it; at most mostKeys
}

var system = environment{osFiles{directFrom: 256 << 20}, availableMemory, 512 << 20, mostKeys}

// osFiles are the files of the system. Those of directFrom bytes and more are read past the page
// cache, where that can be done: it costs memory, and time to clear that memory, for something that
// is read once. Smaller ones are likely to be read again before their memory is wanted for
// something else.
type osFiles struct {
	directFrom int64
	held       *store.Dir // nil if each operation opens the directory by its path
}

type osFile struct {
	*store.File
	direct *os.File // the same for reads past the page cache; nil if all go through it
}

func (osFiles) MakeDir(name string) error {
	return store.MakeDirPath(name, private.Directory) // if it is no directory, taking the lock in it fails
}

// in has do act on a directory.
func (o osFiles) in(dir string, do func(*store.Dir) error) (err error) {
	if o.held != nil {
		return do(o.held)
	}
	d, err := store.OpenDir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return do(d)
}

// at has do act on a file.
func (o osFiles) at(path string, do func(d *store.Dir, name string) error) error {
	dir, name := filepath.Split(path)
	return o.in(filepath.Clean(dir), func(d *store.Dir) error { return do(d, name) })
}

func (o osFiles) List(dir string) (names []string, err error) {
	err = o.in(dir, func(d *store.Dir) (err error) {
		names, err = d.List()
		return err
	})
	return names, err
}

func (o osFiles) Create(name string) (created file, err error) {
	err = o.at(name, func(d *store.Dir, name string) error {
		f, err := d.Create(name)
		created = osFile{File: f}
		return err
	})
	return created, err
}

func (o osFiles) Open(name string, forWriting bool) (opened file, err error) {
	err = o.at(name, func(d *store.Dir, name string) error {
		open := d.Open
		if forWriting {
			open = d.OpenForWriting
		}
		f, err := open(name)
		if err != nil {
			return err
		}
		of := osFile{File: f}
		if info, err := f.Stat(); err == nil && !forWriting && info.Size() >= o.directFrom {
			of.direct = openDirect(d, name)
		}
		opened = of
		return nil
	})
	return opened, err
}

func (o osFiles) Rename(from, to string) error {
	return o.at(from, func(d *store.Dir, name string) error { return d.Rename(name, filepath.Base(to)) })
}

func (o osFiles) Remove(name string) error {
	return o.at(name, func(d *store.Dir, name string) error { return d.Remove(name) })
}

func (o osFiles) SyncDir(dir string) error {
	return o.in(dir, func(d *store.Dir) error { return d.Sync() })
}

func (o osFiles) Lock(name string) (lock io.Closer, err error) {
	err = o.at(name, func(d *store.Dir, name string) error {
		f, err := d.OpenOrCreate(name)
		if err != nil {
			return err
		}
		if err := store.Lock(f.File); err != nil {
			f.Close()
			if errors.Is(err, store.ErrLocked) {
				err = ErrLocked
			}
			return err
		}
		lock = f
		return nil
	})
	return lock, err
}

func (o osFiles) OpenDir(dir string) (dirFiles, error) {
	d, err := store.OpenDir(dir)
	return osFiles{directFrom: o.directFrom, held: d}, err
}

// CheckNotMoved calls the method of the held directory.
func (o osFiles) CheckNotMoved() error { return o.held.CheckNotMoved() }

// Close ends the use of the directory that is held.
func (o osFiles) Close() error { return o.held.Close() }

func (osFiles) Free(dir string) (uint64, error) { return freeSpace(dir) }

// ReadAt bypasses the page cache for data outside it. What that cannot read, because of its
// alignment or the file system, is read normally.
func (f osFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.direct != nil && !cached(f.File.File, offset, int64(len(p))) {
		if n, err := f.direct.ReadAt(p, offset); err == nil {
			return n, nil
		}
	}
	return f.File.ReadAt(p, offset)
}

func (f osFile) Close() error {
	if f.direct != nil {
		f.direct.Close()
	}
	return f.File.Close()
}

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file", f.Name())
	}
	return info.Size(), nil
}

func (f osFile) Sync() error { return f.SyncData() }
