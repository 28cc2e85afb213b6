package files

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// keptInMemory is how much of what can be read only once is kept in memory, before it goes to a
// temporary file.
const keptInMemory = 1 << 20

// A Kept keeps what was read of an input that can be read only once, so that it can be read from
// its beginning again. The zero Kept is empty.
type Kept struct {
	memory bytes.Buffer
	file   *os.File         // without a name; nil as long as memory is enough
	z      *compress.Writer // into file
}

// Write keeps some more.
func (k *Kept) Write(p []byte) (int, error) {
	if k.file == nil && k.memory.Len()+len(p) <= keptInMemory {
		return k.memory.Write(p)
	}
	if k.file == nil {
		if err := k.begin(); err != nil {
			return 0, err
		}
	}
	return k.z.Write(p)
}

func (k *Kept) begin() (err error) {
	if k.file, err = Spool(bytes.NewReader(nil), "the input", ""); err == nil {
		k.z, err = compress.NewWriter(k.file, compress.Method{Format: "zstd", Level: 1}, 1, false)
	}
	return err
}

// Reopen reads what was kept, and then what is left of the input. Nothing is kept any more.
func (k *Kept) Reopen(rest io.ReadCloser) (io.ReadCloser, error) {
	parts, closers := []io.Reader{&k.memory}, []io.Closer{rest}
	if k.file != nil {
		err := k.z.End()
		if err == nil {
			_, err = k.file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return nil, err
		}
		kept, err := compress.NewReader(k.file, "", compress.DefaultMaxWindow)
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

// Close gives up what was kept.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
