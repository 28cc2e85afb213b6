package compress

import (
	"cmp"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// A Method is a compression format with its level. The zero Method does not compress.
type Method struct {
	Format string // gzip or zstd
	Level  int    // 1 to 9 for gzip, 1 to 22 for zstd; 0 is the default
}

// ByName returns the method that a file name implies.
func ByName(path string) (Method, error) {
	f := promised(path)
	switch {
	case f == nil:
		return Method{}, checkWritten(path)
	case f.name != "gzip" && f.name != "zstd":
		return Method{}, fmt.Errorf("%s: %s is only read, not written: name it .gz or .zst", path, f.name)
	}
	return Method{Format: f.name}, nil
}

// Check returns an error if the format or the level does not exist.
func (m Method) Check() error {
	top := map[string]int{"gzip": 9, "zstd": 22}[m.Format]
	switch {
	case top == 0:
		return fmt.Errorf("compression %q is not known: use gzip or zstd", m.Format)
	case m.Level < 0 || m.Level > top:
		return fmt.Errorf("%s has levels 1 to %d, not %d", m.Format, top, m.Level)
	}
	return nil
}

// A Writer compresses what is written to it, on several cores. The output depends on the data and
// the ends of members, but not on the sizes of writes or the number of cores. Only one goroutine
// may use it.
type Writer struct {
	dst   io.Writer
	z     io.WriteCloser
	reset func(dst io.Writer) // makes z begin a new stream
	open  bool                // inside a member
	empty bool                // there is no member yet
}

// NewWriter starts a stream or, if continued is true, continues one that consists of whole members.
// It uses the given number of cores, at least one.
func NewWriter(dst io.Writer, m Method, cores int, continued bool) (*Writer, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	w := &Writer{dst: dst, empty: !continued}
	cores = max(1, cores)
	var err error
	if m.Format == "gzip" {
		err = w.useGzip(m.Level, cores)
	} else {
		err = w.useZstd(m.Level, cores)
	}
	return w, err
}

// gzipBlock is the unit of work of a core.
const gzipBlock = 512 << 10

func (w *Writer) useGzip(level, cores int) error {
	z, err := pgzip.NewWriterLevel(io.Discard, cmp.Or(level, pgzip.DefaultCompression))
	if err != nil {
		return err
	}
	w.z, w.reset = z, z.Reset
	return z.SetConcurrency(gzipBlock, cores+1)
}

func (w *Writer) useZstd(level, cores int) error {
	speed := zstd.SpeedDefault
	if level > 0 {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(cores),
		zstd.WithZeroFrames(true))
	if err != nil {
		return err
	}
	w.z, w.reset = z, z.Reset
	return nil
}

// Write begins a new member if none is open.
func (w *Writer) Write(p []byte) (int, error) {
	w.begin()
	return w.z.Write(p)
}

func (w *Writer) begin() {
	if !w.open {
		w.reset(w.dst)
		w.open, w.empty = true, false
	}
}

// End ends the member, so that the output so far is a complete stream, and returns when all of it
// is written to dst.
func (w *Writer) End() error {
	if w.empty {
		w.begin() // an empty stream has a member too
	}
	if !w.open {
		return nil
	}
	w.open = false
	return w.z.Close()
}
