package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// An outFile is a file that a run writes. A nil *outFile is one that was not asked for.
//
// A run without checkpoints is all or nothing: until it is complete, its file is called NAME.partial. A run with checkpoints can be
// resumed, and writes the file itself. What is not a regular file, such as /dev/null or a FIFO, is written directly.
type outFile struct {
	*sink
	path    string
	partial bool
}

// createOutFile begins a file.
func createOutFile(path string, m compress.Method, resumable bool) (*outFile, error) {
	special, err := isSpecial(path)
	if err != nil {
		return nil, err
	}
	o := &outFile{path: path, partial: !special && !resumable}
	var f *os.File
	switch {
	case special:
		f, err = os.OpenFile(path, os.O_WRONLY, 0)
	case resumable:
		f, err = os.Create(path)
	default:
		f, err = os.Create(path + ".partial")
	}
	if err != nil {
		return nil, err
	}
	if o.sink, err = newSink(f, m, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if resumable && !special {
		err = syncDir(filepath.Dir(path))
	}
	return o, err
}

// reopenOutFile goes on with a file of which the first bytes are committed; the rest is cut off.
func reopenOutFile(path string, m compress.Method, committed uint64) (*outFile, error) {
	special, err := isSpecial(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if !special {
		err = cutBack(f, path, int64(committed))
	}
	o := &outFile{path: path}
	if err == nil {
		o.sink, err = newSink(f, m, committed)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return o, nil
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
func (o *outFile) writer() io.Writer {
	if o == nil {
		return nil
	}
	return o.sink
}

// size is how many bytes have been written to the file.
func (o *outFile) size() uint64 {
	if o == nil {
		return 0
	}
	return o.length
}

// sync makes durable what was written.
func (o *outFile) sync() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.settle(), syncFile(o.file))
}

// finish closes the file, and gives it its name if the run is complete; durable makes both last through a loss of power.
func (o *outFile) finish(complete, durable bool) error {
	if o == nil {
		return nil
	}
	err := o.settle()
	if err == nil && complete {
		err = o.end()
	}
	if !complete {
		err = nil // the run has failed already, perhaps for the same reason
	}
	if complete && durable {
		err = errors.Join(err, syncFile(o.file))
	}
	// some file systems report a failed write only here
	if failed := o.file.Close(); failed != nil && complete {
		err = errors.Join(err, fmt.Errorf("close %s: %w", outputName(o.path), failed))
	}
	if err != nil || !complete || !o.partial {
		return err
	}
	if err := os.Rename(o.path+".partial", o.path); err != nil || !durable {
		return err
	}
	return syncDir(filepath.Dir(o.path))
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
