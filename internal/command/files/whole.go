package files

import (
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A TruncatedError is the end of an input that was a file and lost bytes while it was read, as logs
// do that are copied and emptied: an unknown part of it was not read.
type TruncatedError struct{ Was, Is int64 }

func (e TruncatedError) Error() string {
	return fmt.Sprintf("the file had %s and has %s now: it was truncated while it was read", units.Bytes(uint64(e.Was)),
		units.Bytes(uint64(e.Is)))
}

// A wholeReader is what is read of a regular file, perhaps decompressed. It ends with a
// TruncatedError in place of io.EOF if the file is shorter then than it was.
type wholeReader struct {
	io.ReadCloser
	file *os.File
	was  int64 // how long the file was when it was opened
}

// whole has what is read of a file end with an error if that was truncated.
func whole(r io.ReadCloser, f *os.File) io.ReadCloser {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return r
	}
	return &wholeReader{r, f, info.Size()}
}

// Read fills p.
func (w *wholeReader) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != io.EOF {
		return n, err
	}
	info, failed := w.file.Stat()
	if failed != nil {
		return n, failed
	}
	at, failed := w.file.Seek(0, io.SeekCurrent)
	if failed != nil {
		return n, failed
	}
	if was := max(w.was, at); info.Size() < was {
		return n, TruncatedError{was, info.Size()}
	}
	return n, err
}

// Whole has what an input holds end with a TruncatedError if it is a file that was truncated while
// it was read. It is for who reads an input from its beginning to its end.
func Whole(open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		r, err := open()
		if f, isFile := r.(*os.File); isFile && err == nil {
			return whole(r, f), nil
		}
		return r, err
	}
}
