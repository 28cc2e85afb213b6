package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/journal"
)

// headBytes is how much of the beginning of an input tells it from others.
const headBytes = 64 << 10

// startBytes is how much of it nearly always does.
const startBytes = 256

// isPipe reports whether a file can be read only once, and is no device.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}

// A stdin is standard input, as a pipe, whose first bytes can be looked at before they are read.
type stdin struct {
	*os.File
	first []byte // up to headBytes
	given int    // how many of them Read has handed out
}

// Read hands out the first bytes, and then what the pipe has. It keeps the first bytes.
func (s *stdin) Read(p []byte) (int, error) {
	if s.given < len(s.first) {
		n := copy(p, s.first[s.given:])
		s.given += n
		return n, nil
	}
	n, err := s.File.Read(p)
	if room := headBytes - len(s.first); room > 0 && n > 0 {
		s.first = append(s.first, p[:min(n, room)]...)
		s.given = len(s.first)
	}
	return n, err
}

// head describes the first bytes that were read.
func (s *stdin) head() *journal.Head {
	return &journal.Head{
		Start: s.first[:min(len(s.first), startBytes)], Bytes: len(s.first), Hash: hashOfBytes(s.first),
	}
}

// fill reads the first bytes, as many as are kept or as there are.
func (s *stdin) fill(ctx context.Context) error {
	read := make(chan error, 1)
	go func() {
		n, err := io.ReadFull(s.File, s.first[len(s.first):headBytes])
		if s.first = s.first[:len(s.first)+n]; err == io.EOF || err == io.ErrUnexpectedEOF {
			err = nil
		}
		read <- err
	}()
	select {
	case err := <-read:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// find returns the run of the journal that has read the same first bytes. It waits for bytes only
// as long as they are those of a run, so it holds back no input that is new.
func (s *stdin) find(ctx context.Context, j *journal.Journal, digest string) (*journal.Run, error) {
	type result struct {
		run *journal.Run
		err error
	}
	found := make(chan result, 1)
	go func() {
		run, err := s.findNow(j, digest)
		found <- result{run, err}
	}()
	select {
	case r := <-found:
		return r.run, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *stdin) findNow(j *journal.Journal, digest string) (*journal.Run, error) {
	for {
		if j.Find(digest, s.beginsLike) == nil {
			return nil, nil
		}
		if len(s.first) == headBytes {
			break
		}
		n, err := s.File.Read(s.first[len(s.first):headBytes:headBytes])
		s.first = s.first[:len(s.first)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
	}
	head := s.head()
	return j.Find(digest, func(run *journal.Run) bool {
		return run.Head != nil && run.Head.Bytes == head.Bytes && run.Head.Hash == head.Hash
	}), nil
}

// beginsLike reports whether a run may have read what has come so far.
func (s *stdin) beginsLike(run *journal.Run) bool {
	if run.Head == nil || len(s.first) > run.Head.Bytes {
		return false
	}
	n := min(len(s.first), len(run.Head.Start))
	return bytes.Equal(s.first[:n], run.Head.Start[:n])
}

func hashOfBytes(p []byte) string { return fmt.Sprintf("%016x", xxh3.Hash(p)) }
