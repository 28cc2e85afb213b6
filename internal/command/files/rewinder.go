package files

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// keptInMemory is the number of bytes that are kept in memory. Further ones go to a temporary file.
const keptInMemory = 1 << 20

// A Rewinder keeps what has been read from an input that can be read only once, so that it can be
// read from the beginning again. The zero Rewinder is empty.
type Rewinder struct {
	memory bytes.Buffer
	file   *os.File         // unnamed; nil as long as memory suffices
	z      *compress.Writer // writes to file
}

// Write keeps more of the input.
func (r *Rewinder) Write(p []byte) (int, error) {
	if r.file == nil && r.memory.Len()+len(p) <= keptInMemory {
		return r.memory.Write(p)
	}
	if r.file == nil {
		if err := r.begin(); err != nil {
			return 0, err
		}
	}
	return r.z.Write(p)
}

func (r *Rewinder) begin() (err error) {
	if r.file, err = Spool(bytes.NewReader(nil), "the input", ""); err == nil {
		r.z, err = compress.NewWriter(r.file, compress.Method{Format: "zstd", Level: 1}, 1, false)
	}
	return err
}

// Reopen returns a reader of what was kept, followed by the rest of the input. Nothing is kept
// after that.
func (r *Rewinder) Reopen(rest io.ReadCloser) (io.ReadCloser, error) {
	parts, closers := []io.Reader{&r.memory}, []io.Closer{rest}
	if r.file != nil {
		err := r.z.End()
		if err == nil {
			_, err = r.file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, err
		}
		kept, err := compress.NewReader(r.file, "", compress.DefaultMaxWindow)
		if err != nil {
			return nil, err
		}
		parts, closers = append(parts, kept), append(closers, kept)
	}
	return &reopened{io.MultiReader(append(parts, rest)...), closers}, nil
}

type reopened struct {
	io.Reader
	closers []io.Closer
}

func (a *reopened) Close() error {
	var errs []error
	for _, c := range a.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Close discards what was kept.
func (r *Rewinder) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
