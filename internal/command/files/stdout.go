package files

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// StartOf returns the position in its file at which an output will begin: after the present
// contents if the program's caller has opened the file, and 0 otherwise.
func (s Streams) StartOf(output string) (int64, error) {
	f, done, err := s.OpenedBefore(output)
	if f == nil || err != nil {
		return 0, err
	}
	defer done()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	return info.Size(), nil
}

// NewStdout returns standard output as a new Output.
func (s Streams) NewStdout(m compress.Method) (*Output, error) {
	f, err := s.Out.Open()
	if err != nil {
		return nil, err
	}
	to, err := newSink(store.Of(f), m, s.Cores.Count(), 0)
	return &Output{sink: to, Path: "-"}, err
}

// ContinueStdout continues standard output after its committed bytes, which begin at start and
// whose last ones have the hash tail. A file can be resumed like any other if the shell appends to
// it.
func (s Streams) ContinueStdout(m compress.Method, start int64, committed uint64, tail string) (*Output, error) {
	f, err := s.Out.Open()
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		if err = checkTail(f, "standard output", start, committed, tail); err == nil {
			_, err = f.Seek(start+int64(committed), io.SeekStart)
		}
		if err != nil {
			return nil, fmt.Errorf("%w (append to it with >>, or use -o)", err)
		}
	}
	to, err := newSink(store.Of(f), m, s.Cores.Count(), committed)
	if err != nil {
		return nil, err
	}
	to.excess = info.Mode().IsRegular()
	return &Output{sink: to, Path: "-"}, nil
}
