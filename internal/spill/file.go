// Package spill has what a memory has no room for, and what does not change any more: words in
// files without a name, which are written in one pass and read through the cache of the system; the
// tables among them; and filters, in memory, that say of nearly all keys that they are not there.
package spill

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

const wordBytes = 8

// A Writer writes words to a file without a name. An error stays until Map.
type Writer struct {
	file *os.File
	to   *bufio.Writer
}

// BufferBytes is what a Writer takes.
const BufferBytes = 1 << 16

// Create begins a file in a directory, or where the system keeps temporary files if that is empty.
func Create(dir string) (*Writer, error) {
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("make a file for what is beyond the memory: %w", err)
	}
	return &Writer{file: file, to: bufio.NewWriterSize(file, BufferBytes)}, nil
}

// Write appends words.
func (w *Writer) Write(words []uint64) {
	_, _ = w.to.Write(bytesOf(words)) // an error stays until Flush
}

// Map ends the file and returns it. The Writer cannot be used after it.
func (w *Writer) Map() (f File, err error) {
	defer func() { err = errors.Join(err, w.file.Close()) }()
	w.Write([]uint64{0}) // nothing cannot be mapped
	if err := w.to.Flush(); err != nil {
		return f, fmt.Errorf("write what is beyond the memory: %w", err)
	}
	info, err := w.file.Stat()
	if err != nil {
		return f, fmt.Errorf("measure what is beyond the memory: %w", err)
	}
	f.bytes, err = unix.Mmap(int(w.file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return f, fmt.Errorf("map what is beyond the memory: %w", err)
	}
	_ = unix.Madvise(f.bytes, unix.MADV_RANDOM) // a hint
	f.rest = unsafe.Slice((*uint64)(unsafe.Pointer(&f.bytes[0])), len(f.bytes)/wordBytes)
	return f, nil
}

// A File is words that were written. They are good until it is closed.
type File struct {
	bytes []byte
	rest  []uint64
}

// Take returns the next words, in the order in which they were written.
func (f *File) Take(words int) []uint64 {
	taken := f.rest[:words:words]
	f.rest = f.rest[words:]
	return taken
}

// Bytes is how long the file is.
func (f *File) Bytes() uint64 { return uint64(len(f.bytes)) }

// Close gives the file back.
func (f *File) Close() error {
	if f.bytes == nil {
		return nil
	}
	return unix.Munmap(f.bytes)
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}
