package files

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"
)

// HeadBytes is how much of the beginning of an input tells it from others.
const HeadBytes = 64 << 10

// IsPipe reports whether a file can be read only once, and is no device.
func IsPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// A Stdin is standard input, as a pipe, whose first bytes can be looked at before they are read.
type Stdin struct {
	*os.File
	first    []byte    // up to HeadBytes
	consumed int       // how many of them Read has handed out
	before   io.Reader // read first; may be nil
	tee      io.Writer // receives all bytes that are read; may be nil
}

// NewStdin returns a pipe that nothing was read of.
func NewStdin(f *os.File) *Stdin { return &Stdin{File: f, first: make([]byte, 0, HeadBytes)} }

// Buffered are the first bytes as far as they were read.
func (s *Stdin) Buffered() []byte { return s.first }

// Tee has all bytes that are handed out from now on written to w, too.
func (s *Stdin) Tee(w io.Writer) { s.tee = w }

// Unread has what was read handed out once more.
func (s *Stdin) Unread(what io.Reader) { s.before = what }

// Read hands out what the pipe has.
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

// read hands out the first bytes, and then what comes. It keeps the first bytes.
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

// Fill reads the first bytes, as many as are kept or as there are.
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

// Hash tells some bytes from others.
func Hash(p []byte) string { return fmt.Sprintf("%016x", xxh3.Hash(p)) }
