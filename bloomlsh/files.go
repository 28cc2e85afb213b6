package bloomlsh

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// fileSystem is every operation on files that a durable index needs, so that tests can fail each of
// them and lose what was not flushed.
type fileSystem interface {
	MakeDir(path string) error // durably; it may exist
	OpenDir(path string) (dirFiles, error)
}

// dirFiles are the files of an open directory. All operations act on that directory, even if its
// path leads elsewhere later.
type dirFiles interface {
	Path() string
	List() ([]string, error)
	CreateFile(name string) (file, error) // replaces
	OpenFile(name string, forWriting bool) (file, error)
	Rename(from, to string) error
	Remove(name string) error
	Sync() error // flushes creations, renames and removals
	Lock(name string) (io.Closer, error)
	Free() (uint64, error) // bytes that files can still take
	CheckNotMoved() error  // an error if the path of the directory leads elsewhere
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

// openDir opens the directory of an index.
func (e environment) openDir(path string) (dirFiles, error) {
	files, err := e.files.OpenDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", path, ErrNoIndex)
	}
	return files, err
}

// osFiles are the files of the system. Those of directFrom bytes and more are read past the page
// cache, where that can be done: it costs memory, and time to clear that memory, for something that
// is read once. Smaller ones are likely to be read again before their memory is wanted for
// something else.
type osFiles struct{ directFrom int64 }

type osDir struct {
	*store.Dir
	osFiles
}

type osFile struct {
	*store.File
	direct *os.File // the same for reads past the page cache; nil if all go through it
}

func (osFiles) MakeDir(path string) error {
	return store.MakeDirPath(path, private.Directory) // if it is no directory, opening it fails
}

func (o osFiles) OpenDir(path string) (dirFiles, error) {
	dir, err := store.OpenDir(path)
	return osDir{dir, o}, err
}

func (d osDir) CreateFile(name string) (file, error) {
	f, err := d.Create(name)
	return osFile{File: f}, err
}

func (d osDir) OpenFile(name string, forWriting bool) (file, error) {
	if forWriting {
		f, err := d.OpenForWriting(name)
		return osFile{File: f}, err
	}
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	opened := osFile{File: f}
	if info, err := f.Stat(); err == nil && info.Size() >= d.directFrom {
		opened.direct = openDirect(d.Dir, name)
	}
	return opened, nil
}

func (d osDir) Lock(name string) (io.Closer, error) {
	f, err := d.OpenOrCreate(name)
	if err != nil {
		return nil, err
	}
	if err := store.Lock(f.File); err != nil {
		f.Close()
		if errors.Is(err, store.ErrLocked) {
			err = ErrLocked
		}
		return nil, err
	}
	return f, nil
}

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
