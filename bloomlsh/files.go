package bloomlsh

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/internal/fsync"
	"github.com/mithril-stream/mithril-stream/internal/private"
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
	frame  int   // the longest payload of a frame of keys, if one record fits into it; at most maxPayload
}

var system = environment{osFiles{directFrom: 256 << 20}, availableMemory, 512 << 20, maxPayload}

// osFiles are the files of the system. Those of directFrom bytes and more are read past the page
// cache, where that can be done: it costs memory, and time to clear that memory, for something that
// is read once. Smaller ones are likely to be read again before their memory is wanted for
// something else.
type osFiles struct {
	directFrom int64
}

type osFile struct {
	*os.File
	direct *os.File // the same for reads past the page cache; nil if all go through it
}

func (osFiles) MakeDir(name string) error {
	switch err := os.Mkdir(name, private.Directory); {
	case errors.Is(err, fs.ErrExist):
		return nil // if it is not a directory, taking the lock in it fails
	case err != nil:
		return err
	}
	return osFiles{}.SyncDir(filepath.Dir(name))
}

func (osFiles) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names, err
}

func (osFiles) Create(name string) (file, error) {
	f, err := private.Create(name)
	if err != nil {
		return nil, err
	}
	return osFile{File: f}, nil
}

func (o osFiles) Open(name string, forWriting bool) (file, error) {
	mode := os.O_RDONLY
	if forWriting {
		mode = os.O_RDWR
	}
	f, err := os.OpenFile(name, mode, 0)
	if err != nil {
		return nil, err
	}
	opened := osFile{File: f}
	if info, err := f.Stat(); err == nil && !forWriting && info.Size() >= o.directFrom {
		opened.direct = openDirect(name)
	}
	return opened, nil
}

func (osFiles) Rename(from, to string) error { return os.Rename(from, to) }

func (osFiles) Remove(name string) error { return os.Remove(name) }

func (osFiles) SyncDir(dir string) error { return fsync.Dir(dir) }

func (osFiles) Lock(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, private.File(name))
	if err != nil {
		return nil, err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (osFiles) Free(dir string) (uint64, error) { return freeSpace(dir) }

// ReadAt reads past the page cache what is not in it. Whatever that cannot do, for its alignment or
// for the file system, is read in the ordinary way.
func (f osFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.direct != nil && !cached(f.File, offset, int64(len(p))) {
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

func (f osFile) Sync() error { return syncData(f.File) }
