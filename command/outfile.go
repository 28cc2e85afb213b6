package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// An outFile is a file that a run writes. A nil *outFile is one that was not asked for.
//
// A run without checkpoints is all or nothing: until it is complete, its file is called NAME.partial. A run with checkpoints can be
// resumed, and writes the file itself. What is not a regular file, such as /dev/null or a FIFO, is written directly.
type outFile struct {
	*os.File
	path    string
	partial bool
}

// createOutFile begins a file.
func createOutFile(path string, resumable bool) (*outFile, error) {
	if special, err := isSpecial(path); special || err != nil {
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &outFile{File: f, path: path}, err
	}
	if resumable {
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		return &outFile{File: f, path: path}, syncDir(filepath.Dir(path))
	}
	f, err := os.Create(path + ".partial")
	if err != nil {
		return nil, err
	}
	return &outFile{File: f, path: path, partial: true}, nil
}

// reopenOutFile goes on with a file of which the first bytes are committed; the rest is cut off.
func reopenOutFile(path string, committed uint64) (*outFile, error) {
	if special, err := isSpecial(path); special || err != nil {
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &outFile{File: f, path: path}, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := cutBack(f, path, int64(committed)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &outFile{File: f, path: path}, nil
}

// cutBack leaves the first bytes of a file and goes to their end.
func cutBack(f *os.File, name string, length int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < length {
		return fmt.Errorf("%s has %d bytes, but the run to be resumed had written %d: give it the file that the run wrote",
			name, info.Size(), length)
	}
	if err := f.Truncate(length); err != nil {
		return err
	}
	_, err = f.Seek(length, io.SeekStart)
	return err
}

// isSpecial reports whether path names something that is there and is no regular file.
func isSpecial(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return false, nil
	}
	if info.IsDir() {
		return false, fmt.Errorf("output %s is a directory: name a file", path)
	}
	return true, nil
}

// writer returns the file as an io.Writer that is nil where there is no file.
func (f *outFile) writer() io.Writer {
	if f == nil {
		return nil
	}
	return f.File
}

// finish closes the file, and gives it its name if the run is complete; durable makes both last through a loss of power.
func (f *outFile) finish(complete, durable bool) error {
	if f == nil {
		return nil
	}
	var err error
	if complete && durable {
		err = syncFile(f.File)
	}
	if err = errors.Join(err, f.Close()); err != nil || !complete || !f.partial {
		return err
	}
	if err := os.Rename(f.path+".partial", f.path); err != nil || !durable {
		return err
	}
	return syncDir(filepath.Dir(f.path))
}

// syncFile makes what was written durable, where that has a meaning: not for a pipe or a terminal.
func syncFile(f *os.File) error {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return f.Sync()
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
