package store

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"syscall"
)

// A File is an os.File whose changes are reported to a Watcher.
type File struct{ *os.File }

// Of wraps an open file.
func Of(f *os.File) *File { return &File{f} }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if err := reading(Read, f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, offset)
}

// Size returns the length of a regular file.
func (f *File) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if !info.Mode().IsRegular() {
		return 0, fmt.Errorf("%s is not a regular file", f.Name())
	}
	return info.Size(), reading(Stat, f.Name())
}

// Close closes the file.
func (f *File) Close() error { return cmp.Or(reading(Close, f.Name()), f.File.Close()) }

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	if watcher.Load() == nil {
		return f.File.Write(p)
	}
	at, _ := f.Seek(0, io.SeekCurrent) // fails for a pipe, which has no offset
	return f.watched(Operation{Kind: Write, Offset: at, Data: p}, func() (int, error) { return f.File.Write(p) })
}

// WriteString implements io.StringWriter.
func (f *File) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if watcher.Load() == nil {
		return f.File.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{f}, r)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	write := func() (int, error) { return f.File.WriteAt(p, offset) }
	return f.watched(Operation{Kind: Write, Offset: offset, Data: p}, write)
}

// Truncate changes the length of the file.
func (f *File) Truncate(size int64) error {
	_, err := f.watched(Operation{Kind: Truncate, Offset: size}, func() (int, error) {
		return 0, f.File.Truncate(size)
	})
	return err
}

// Sync makes contents and length durable, but not times, which saves a write of metadata.
func (f *File) Sync() error {
	_, err := f.watched(Operation{Kind: SyncFile}, func() (int, error) { return 0, syncData(f.File) })
	return err
}

// watched performs an operation on the file and reports it.
func (f *File) watched(o Operation, do func() (int, error)) (n int, err error) {
	w := watcher.Load()
	if w == nil {
		return do()
	}
	o.Path, o.Inode = f.Name(), inodeOf(f.File)
	switch err = w.before(o); err {
	case nil:
		n, err = do()
	case ErrDone:
		n, err = len(o.Data), nil
	default:
		return 0, err
	}
	if o.Kind == Write {
		o.Data = o.Data[:n]
	}
	if err == nil || n > 0 {
		w.after(o)
	}
	return n, err
}

// inodeOf returns the inode number of a file, or 0 if the file system has none.
func inodeOf(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return inodeIn(info)
}

func inodeIn(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
