package compress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// A DamageError is returned if a stream is truncated or corrupt.
type DamageError struct {
	Format string // gzip, zstd, bzip2 or xz
	// compressed bytes read when the damage was noticed; it is there or shortly before
	Offset int64
	Err    error
}

func (e *DamageError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("the %s stream is cut off after %d bytes", e.Format, e.Offset)
	}
	return fmt.Sprintf("the %s stream is damaged at or before byte %d: %v", e.Format, e.Offset, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Spoils reports whether data returned before the error may be wrong, because a checksum does not
// match or the stream is not compressed data any more. Data from a truncated stream is right, and
// so are blocks of bzip2, which are verified before they are returned.
func (e *DamageError) Spoils() bool {
	return e.Format != "bzip2" && !errors.Is(e.Err, io.ErrUnexpectedEOF)
}

// NewReader returns the contents of src, decompressed if src is compressed. It reads no more of src
// than needed to tell, so it does not wait for a slow pipe. If src is not compressed and can seek,
// NewReader returns src itself. name, which may be empty, is only used to distinguish a compressed
// file truncated to nothing from an empty one. A stream whose window or dictionary exceeds
// maxWindow bytes is refused with a *WindowError; 0 means DefaultMaxWindow. Closing the result
// closes src.
func NewReader(src io.ReadCloser, name string, maxWindow int64) (io.ReadCloser, error) {
	return newReader(src, name, maxWindow, format.open)
}

// NewMemberReader is like NewReader, but returns a *Members for a gzip stream.
func NewMemberReader(src io.ReadCloser, name string, maxWindow int64) (io.ReadCloser, error) {
	return newReader(src, name, maxWindow,
		func(f format, from *counter, src io.Closer, isFile bool) (io.ReadCloser, error) {
			if f.name == "gzip" {
				return newMembers(from, src), nil
			}
			return f.open(from, src, isFile)
		})
}

// newReader recognizes the format of src, and calls open to decompress it.
func newReader(src io.ReadCloser, name string, maxWindow int64, open func(format, *counter,
	io.Closer, bool) (io.ReadCloser, error)) (io.ReadCloser, error) {
	start, seekable := int64(0), false
	if f, ok := src.(*os.File); ok {
		at, err := f.Seek(0, io.SeekCurrent)
		start, seekable = at, err == nil
	}
	head, err := readHead(src)
	if err != nil {
		return nil, err
	}
	f, _ := recognise(head)
	if f == nil {
		if isCut(name, head) {
			return nil, &DamageError{Format: promised(name).name, Offset: int64(len(head)), Err: io.ErrUnexpectedEOF}
		}
		if seekable {
			_, err := src.(io.Seeker).Seek(start, io.SeekStart)
			return src, err
		}
		return &headed{head: head, ReadCloser: src}, nil
	}
	if maxWindow <= 0 {
		maxWindow = DefaultMaxWindow
	}
	from := &counter{src: &headed{head: head, ReadCloser: src}, maxWindow: maxWindow, start: start}
	return open(*f, from, src, seekable)
}

// IsCompressed reports whether head begins a stream that NewReader would decompress.
func IsCompressed(head []byte) bool {
	f, _ := recognise(head)
	return f != nil
}

// readHead reads as many bytes as needed to recognize a stream.
func readHead(src io.Reader) ([]byte, error) {
	head := make([]byte, 0, longestMagic)
	for len(head) < longestMagic {
		n, err := io.ReadAtLeast(src, head[len(head):longestMagic], 1)
		head = head[:len(head)+n]
		if err == io.EOF {
			return head, nil
		}
		if err != nil {
			return nil, err
		}
		if _, more := recognise(head); !more {
			return head, nil
		}
	}
	return head, nil
}

// headed is a reader whose first bytes have been read already.
type headed struct {
	head []byte
	io.ReadCloser
}

func (h *headed) Read(p []byte) (int, error) {
	if len(h.head) == 0 {
		return h.ReadCloser.Read(p)
	}
	n := copy(p, h.head)
	h.head = h.head[n:]
	return n, nil
}

// counter counts the bytes read. A decompressor may read from another goroutine.
type counter struct {
	src       io.Reader
	n         atomic.Int64
	err       atomic.Pointer[error] // of src itself, which is not damage
	head      []byte                // the first bytes, up to headSize
	maxWindow int64
	start     int64 // offset of the stream in src, if that is a file
}

// headSize is the number of bytes that nearly always contain the size of the window.
const headSize = 64

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n.Add(int64(n))
	if len(c.head) < headSize {
		c.head = append(c.head, p[:min(n, headSize-len(c.head))]...)
	}
	if err != nil && err != io.EOF {
		c.err.Store(&err)
	}
	return n, err
}

// decompressor decompresses a stream while it is read.
type decompressor struct {
	io.Reader
	format string
	from   *counter
	ahead  func() int // bytes read from the source but not yet consumed
	isFile bool       // reading from never blocks for long
	close  []func() error
}

// readAhead is the size of a decompressor's reads from its source.
const readAhead = 64 << 10

// open starts decompressing what from reads, and closes src at the end.
func (f format) open(from *counter, src io.Closer, isFile bool) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(from, readAhead)
	d := &decompressor{format: f.name, from: from, ahead: buffered.Buffered, isFile: isFile,
		close: []func() error{src.Close}}
	var err error
	switch f.name {
	case "gzip":
		if s := segmentsOf(src, from.start, isFile); s != nil {
			d.Reader, d.ahead = s, func() int { return int(from.n.Load() - s.offset() + from.start) }
			d.close = append([]func() error{func() error { s.close(); return nil }}, d.close...)
			break
		}
		d.Reader, err = newGzipReader(buffered)
	case "zstd":
		var z *zstd.Decoder
		if z, err = newZstdReader(from, buffered); err == nil {
			d.Reader, d.ahead = z, func() int { return 0 }
			d.close = append([]func() error{func() error { z.Close(); return nil }}, d.close...)
		}
	case "bzip2":
		blocks := newBzip2Reader(buffered)
		d.Reader = blocks
		d.close = append([]func() error{func() error { blocks.stop(); return nil }}, d.close...)
	case "xz":
		d.Reader, err = newXZReader(buffered, from.maxWindow)
	}
	if err != nil {
		return nil, d.explain(err)
	}
	return d, nil
}

// newZstdReader decodes frames with the dictionary that precedes them, if there is one.
func newZstdReader(from *counter, buffered *bufio.Reader) (*zstd.Decoder, error) {
	options := []zstd.DOption{zstd.WithDecoderMaxWindow(uint64(max(from.maxWindow, zstd.MinWindowSize)))}
	head, err := buffered.Peek(4)
	if err != nil || binary.LittleEndian.Uint32(head) != dictionaryFrame {
		return zstd.NewReader(buffered, options...)
	}
	dictionary, err := dictionaryOf(buffered, from.maxWindow)
	if err != nil {
		return nil, err
	}
	if dictionary != nil {
		options = append(options, zstd.WithDecoderDicts(dictionary))
	}
	return zstd.NewReader(buffered, options...)
}

// Read returns what is available without waiting. From a file it fills p, since larger blocks cost
// less.
func (d *decompressor) Read(p []byte) (n int, err error) {
	for {
		var k int
		k, err = d.Reader.Read(p[n:])
		if n += k; err != nil || !d.isFile || n == len(p) {
			break
		}
	}
	if err != nil && err != io.EOF {
		err = d.explain(err)
	}
	return n, err
}

func (d *decompressor) Close() (err error) {
	for _, close := range d.close {
		err = errors.Join(err, close())
	}
	return err
}

func (d *decompressor) explain(err error) error {
	return d.from.explain(d.format, d.from.n.Load()-int64(d.ahead()), err)
}

// explain distinguishes damage from read errors and from too large a window.
func (c *counter) explain(format string, offset int64, err error) error {
	if failed := c.err.Load(); failed != nil {
		return *failed
	}
	if refused := windowError(err, c.head, c.maxWindow); refused != nil {
		return refused
	}
	if errors.Is(err, errDictionary) {
		return err
	}
	if err == io.EOF { // from the header of a stream whose first bytes exist
		err = io.ErrUnexpectedEOF
	}
	return &DamageError{Format: format, Offset: offset, Err: err}
}
