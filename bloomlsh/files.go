package bloomlsh

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// environment is what an index takes from the system it runs on.
type environment struct {
	memory memoryGauge
	free   func(*store.Dir) (uint64, error) // bytes that files can still take
	minLog int64                            // a log up to this length is never folded
	// the longest payload of a frame of keys, if one record fits into it; at most mostKeys
	frame int
	// Base files of this length and more are read past the page cache, where that can be done: it
	// costs memory, and time to clear that memory, for something that is read once. Smaller ones
	// are likely to be read again before their memory is wanted for something else.
	directFrom int64
}

var system = environment{availableMemory, (*store.Dir).Free, 512 << 20, mostKeys, 256 << 20}

// openDir opens the directory of an index.
func openDir(path string) (*store.Dir, error) {
	files, err := store.OpenDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", path, ErrNoIndex)
	}
	return files, err
}

// openNamed opens a file that MANIFEST names.
func openNamed(files *store.Dir, name string, open func(string) (*store.File, error)) (*store.File, error) {
	f, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corrupt(filepath.Join(files.Path(), name), "it is named in MANIFEST and missing")
	}
	return f, err
}

// An extentFile is a base file that is open for reading.
type extentFile struct {
	*store.File
	direct *os.File // the same for reads past the page cache; nil if all go through it
}

// openExtents opens a base file.
func (e environment) openExtents(files *store.Dir, name string) (extentFile, error) {
	f, err := openNamed(files, name, files.Open)
	if err != nil {
		return extentFile{}, err
	}
	opened := extentFile{File: f}
	if info, err := f.Stat(); err == nil && info.Size() >= e.directFrom {
		opened.direct = openDirect(files, name)
	}
	return opened, nil
}

// ReadAt bypasses the page cache for data outside it. What that cannot read, because of its
// alignment or the file system, is read normally.
func (f extentFile) ReadAt(p []byte, offset int64) (int, error) {
	if f.direct != nil && !cached(f.File.File, offset, int64(len(p))) {
		if n, err := f.direct.ReadAt(p, offset); err == nil {
			return n, nil
		}
	}
	return f.File.ReadAt(p, offset)
}

// Close closes the file.
func (f extentFile) Close() error {
	if f.direct != nil {
		f.direct.Close()
	}
	return f.File.Close()
}
