package files

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"
)

// HeadBytes is the number of bytes at the beginning of an input that distinguish it from others.
const HeadBytes = 64 << 10

// IsPipe reports whether a file is a pipe or a socket, which can be read only once.
func IsPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// A Stdin is standard input, as a pipe whose first bytes can be inspected before they are read.
type Stdin struct {
	*os.File
	first    []byte    // up to HeadBytes
	consumed int       // number of them that Read has returned
	before   io.Reader // read first; may be nil
	tee      io.Writer // receives all bytes that are read; may be nil
}

// NewStdin returns a Stdin for a pipe that has not been read from.
func NewStdin(f *os.File) *Stdin { return &Stdin{File: f, first: make([]byte, 0, HeadBytes)} }

// Buffered returns the first bytes, as far as they have been read from the pipe.
func (s *Stdin) Buffered() []byte { return s.first }

// Tee makes Read write all bytes that it returns from now on to w, too.
func (s *Stdin) Tee(w io.Writer) { s.tee = w }

// Unread makes Read return bytes that were read before once more. It takes them from what.
func (s *Stdin) Unread(what io.Reader) { s.before = what }

// Read implements io.Reader.
func (s *Stdin) Read(p []byte) (n int, err error) {
	if s.before != nil {
		n, err = s.before.Read(p)
		if err == io.EOF {
			s.before, err = nil, nil
		}
	}
	if n == 0 && err == nil {
		n, err = s.read(p)
	}
	if s.tee != nil && n > 0 {
		if _, failed := s.tee.Write(p[:n]); failed != nil {
			return n, failed
		}
	}
	return n, err
}

// read returns the first bytes, and then reads from the pipe. It keeps the first bytes.
func (s *Stdin) read(p []byte) (int, error) {
	if s.consumed < len(s.first) {
		n := copy(p, s.first[s.consumed:])
		s.consumed += n
		return n, nil
	}
	n, err := s.File.Read(p)
	if room := HeadBytes - len(s.first); room > 0 && n > 0 {
		s.first = append(s.first, p[:min(n, room)]...)
		s.consumed = len(s.first)
	}
	return n, err
}

// Fill reads the first bytes: as many as are kept, or all if the pipe has fewer.
func (s *Stdin) Fill(ctx context.Context) error {
	_, err := Await(ctx, func() (n int, err error) {
		n, err = io.ReadFull(s.File, s.first[len(s.first):HeadBytes])
		if s.first = s.first[:len(s.first)+n]; err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		return n, err
	})
	return err
}

// Hash returns a string that distinguishes some bytes from others.
func Hash(p []byte) string { return fmt.Sprintf("%016x", xxh3.Hash(p)) }
