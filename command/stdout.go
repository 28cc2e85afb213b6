package command

import (
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/stream/compress"
)

// outputStart is where in the file of standard output we begin to write; 0 if it is no file.
func (s Streams) outputStart() (int64, error) {
	info, err := s.Out.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	return info.Size(), nil
}

// newOutput begins with standard output.
func (s Streams) newOutput(m compress.Method) (*outFile, error) {
	to, err := newSink(s.Out, m, s.Cores.count(), 0)
	return &outFile{sink: to, path: "-"}, err
}

// goOnWithOutput goes on with standard output, of which so many bytes after start are committed and
// end in those of the hash tail. If it is a file it can be resumed like any other, if the shell
// appends to it.
func (s Streams) goOnWithOutput(m compress.Method, start int64, committed uint64, tail string) (*outFile, error) {
	info, err := s.Out.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() {
		if err = checkTail(s.Out, "standard output", start, committed, tail); err == nil {
			_, err = s.Out.Seek(start+int64(committed), io.SeekStart)
		}
		if err != nil {
			return nil, fmt.Errorf("%w (append to it with >>, or use -o)", err)
		}
	}
	to, err := newSink(s.Out, m, s.Cores.count(), committed)
	if err != nil {
		return nil, err
	}
	to.excess = info.Mode().IsRegular()
	return &outFile{sink: to, path: "-"}, nil
}
