// Package spill stores the immutable part of a memory that exceeds its limit: words in unnamed
// files, written sequentially and read through the page cache; tables of such words; and in-memory
// filters that rule out nearly all absent keys.
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

// A Writer writes words to an unnamed file. Map returns the first error.
type Writer struct {
	file *os.File
	to   *bufio.Writer
}

// BufferBytes is the memory of a Writer.
const BufferBytes = 1 << 16

// Create creates a file in dir, or in the system's directory for temporary files if dir is empty.
func Create(dir string) (*Writer, error) {
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, fmt.Errorf("make a file for what is beyond the memory: %w", err)
	}
	return &Writer{file: file, to: bufio.NewWriterSize(file, BufferBytes)}, nil
}

// Write appends words.
func (w *Writer) Write(words []uint64) {
	_, _ = w.to.Write(bytesOf(words)) // Flush returns the error
}

// Map ends the file and maps it into memory. The Writer must not be used afterwards.
func (w *Writer) Map() (f File, err error) {
	defer func() { err = errors.Join(err, w.file.Close()) }()
	w.Write([]uint64{0}) // an empty file cannot be mapped
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
	_ = unix.Madvise(f.bytes, unix.MADV_RANDOM) // only a hint
	f.rest = unsafe.Slice((*uint64)(unsafe.Pointer(&f.bytes[0])), len(f.bytes)/wordBytes)
	return f, nil
}

// A File is a mapped file of words. They are valid until it is closed.
type File struct {
	bytes []byte
	rest  []uint64
}

// Next returns the next words, in the order they were written.
func (f *File) Next(words int) []uint64 {
	taken := f.rest[:words:words]
	f.rest = f.rest[words:]
	return taken
}

// Bytes returns the length of the file.
func (f *File) Bytes() uint64 { return uint64(len(f.bytes)) }

// Close unmaps and frees the file.
func (f *File) Close() error {
	if f.bytes == nil {
		return nil
	}
	return unix.Munmap(f.bytes)
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}
