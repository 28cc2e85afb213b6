package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mithril-stream/mithril-stream/config"
)

// outputs are the files that a run writes.
type outputs struct {
	kept                              io.Writer
	main                              *outFile // behind kept, if it is not standard output
	stdout                            *os.File // behind kept, if it is
	duplicates, rejects, flags, stats *outFile
}

// openOutputs opens every file before anything is read: a wrong path should not come out after hours.
func openOutputs(c config.OutputFlags, std Streams) (*outputs, error) {
	o := &outputs{}
	if c.Output == "-" {
		if sameFile(std.In, std.Out) {
			return nil, errors.New("standard input and standard output are the same file: write to another one, then rename it")
		}
		o.kept, o.stdout = std.Out, std.Out
	}
	var err error
	for _, f := range []struct {
		file **outFile
		path string
	}{{&o.main, c.Output}, {&o.duplicates, c.Duplicates}, {&o.rejects, c.Rejects}, {&o.flags, c.Flags}, {&o.stats, c.Stats}} {
		if f.path == "" || f.path == "-" {
			continue
		}
		if *f.file, err = createOutFile(f.path); err != nil {
			o.finish(false)
			return nil, err
		}
	}
	if o.main != nil {
		o.kept = o.main
	}
	return o, nil
}

// finish puts the files in place after a run that is complete, and leaves them as FILE.partial after one that is not.
func (o *outputs) finish(complete bool) error {
	var errs []error
	if o.stdout != nil {
		if err := o.stdout.Close(); err != nil && complete { // some file systems report a failed write only here
			errs = append(errs, fmt.Errorf("close output: %w", err))
		}
	}
	for _, f := range []*outFile{o.main, o.duplicates, o.rejects, o.flags} {
		errs = append(errs, f.finish(complete))
	}
	return errors.Join(errs...)
}

// sameFile reports whether both are the same regular file, in which case reading would meet what was written.
func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil || !x.Mode().IsRegular() {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

// An outFile is a file that appears under its name when it is complete. Until then it is called NAME.partial. What is not a
// regular file, such as /dev/null or a FIFO, is written directly. A nil *outFile is a file that was not asked for.
type outFile struct {
	*os.File
	path    string
	partial bool
}

func createOutFile(path string) (*outFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return nil, fmt.Errorf("output %s is a directory: name a file", path)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &outFile{File: f, path: path}, err
	}
	f, err := os.Create(path + ".partial")
	if err != nil {
		return nil, err
	}
	return &outFile{File: f, path: path, partial: true}, nil
}

// writer returns the file as an io.Writer that is nil where there is no file.
func (f *outFile) writer() io.Writer {
	if f == nil {
		return nil
	}
	return f.File
}

func (f *outFile) finish(complete bool) error {
	if f == nil {
		return nil
	}
	if !f.partial || !complete {
		return f.Close()
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.path+".partial", f.path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(f.path))
}

// syncDir makes a rename in the directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
