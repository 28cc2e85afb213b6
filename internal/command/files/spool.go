package files

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/private"
)

// Seekable returns in, if that is an uncompressed regular file at its beginning, or else a
// decompressed copy.
func Seekable(in io.ReadCloser, name, path string, maxWindow int64) (*os.File, error) {
	r, err := compress.NewReader(in, object.Name(path), maxWindow)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if file, isFile := in.(*os.File); isFile && r == in && IsRegularAt(file, 0) {
		return file, nil
	}
	defer r.Close()
	return Spool(r, name, "")
}

// IsRegularAt reports whether a file is regular, and its next read is at place.
func IsRegularAt(file *os.File, place int64) bool {
	info, err := file.Stat()
	at, failed := file.Seek(0, io.SeekCurrent)
	return err == nil && failed == nil && info.Mode().IsRegular() && at == place
}

// Spool copies an input that can be read only once to a file that no other program sees, and that
// is deleted when it is closed.
func Spool(in io.Reader, name, dir string) (*os.File, error) {
	f, err := private.Unnamed(dir)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(f, in)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy %s to %s: %w", name, f.Name(), err), f.Close())
	}
	return f, nil
}

// IsSeekable reports whether a file can be read at any offset.
func IsSeekable(file *os.File) bool {
	_, err := file.Seek(0, io.SeekCurrent)
	return err == nil
}

// Ahead returns up to n bytes that come next in a seekable file, without changing its position.
func Ahead(file *os.File, n int) ([]byte, error) {
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	head := make([]byte, n)
	n, err = file.ReadAt(head, at)
	if err == io.EOF {
		err = nil
	}
	return head[:n], err
}
