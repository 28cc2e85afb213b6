package files

import (
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// A TruncatedError is the error at the end of an input file that was truncated while it was read,
// as logs are that get copied and emptied. An unknown part of the file was not read.
type TruncatedError struct{ Was, Is int64 }

func (e TruncatedError) Error() string {
	return fmt.Sprintf("the file had %s and has %s now: it was truncated while it was read", units.Bytes(uint64(e.Was)),
		units.Bytes(uint64(e.Is)))
}

// A wholeReader reads a regular file, which may be compressed. It returns a TruncatedError instead
// of io.EOF if the file has become shorter.
type wholeReader struct {
	io.ReadCloser
	file *os.File
	was  int64 // size of the file when it was opened
}

// whole makes a reader of a file return an error at its end if the file was truncated.
func whole(r io.ReadCloser, f *os.File) io.ReadCloser {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return r
	}
	return &wholeReader{r, f, info.Size()}
}

// Read implements io.Reader.
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

// Whole makes an input end with a TruncatedError if it is a file that was truncated while it was
// read. It is for inputs that are read from beginning to end.
func Whole(open func() (io.ReadCloser, error)) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		r, err := open()
		if f, isFile := r.(*os.File); isFile && err == nil {
			return whole(r, f), nil
		}
		return r, err
	}
}
