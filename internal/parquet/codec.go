package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A codec is a compression of pages (CompressionCodec).
type codec int32

const (
	uncompressed codec = iota
	snappyBlocks
	gzipped
	lzo
	brotlied
	lz4Hadoop // deprecated; three different layouts use this name
	zstandard
	lz4Raw
)

var codecNames = []string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

func (c codec) String() string {
	if c < 0 || int(c) >= len(codecNames) {
		return fmt.Sprintf("codec %d", int32(c))
	}
	return codecNames[c]
}

// check returns an error if the codec is not supported.
func (c codec) check() error {
	if c == lzo || c < 0 || int(c) >= len(codecNames) {
		return fmt.Errorf("%v is not supported", c)
	}
	return nil
}

// forOutput returns the codec for writing columns that were read with c.
func (c codec) forOutput() codec {
	if c == lz4Hadoop {
		return lz4Raw
	}
	return c
}

var errSize = errors.New("a page does not decompress to the size that it claims")

// A decompressor reuses the state of the compression libraries. Only one goroutine may use it.
type decompressor struct {
	gzip   *gzip.Reader
	zstd   *zstd.Decoder
	brotli *brotli.Reader
	src    bytes.Reader
}

// decompress returns the contents of a page that claims to have size bytes, using dst if it is
// large enough. It allocates in proportion to the actual data, not to the claim.
func (d *decompressor) decompress(c codec, dst, src []byte, size int) ([]byte, error) {
	if len(src) == 0 && size == 0 {
		return dst[:0], nil
	}
	var r io.Reader
	var err error
	d.src.Reset(src)
	switch c {
	case uncompressed:
		if len(src) != size {
			return nil, errSize
		}
		return append(dst[:0], src...), nil
	case snappyBlocks:
		return decompressSnappy(dst, src, size)
	case lz4Raw:
		return decompressLZ4(dst, src, size)
	case lz4Hadoop:
		return decompressHadoop(dst, src, size)
	case gzipped:
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		err, r = d.gzip.Reset(&d.src), d.gzip
	case brotlied:
		if d.brotli == nil {
			d.brotli = brotli.NewReader(nil)
		}
		err, r = d.brotli.Reset(&d.src), d.brotli
	case zstandard:
		if d.zstd == nil {
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				return nil, err
			}
		}
		err, r = d.zstd.Reset(&d.src), d.zstd
	default:
		err = c.check()
	}
	if err != nil {
		return nil, err
	}
	return readAll(dst, r, size)
}

func (d *decompressor) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// readAll reads r, which must end after size bytes.
func readAll(dst []byte, r io.Reader, size int) ([]byte, error) {
	const step = 64 << 10
	dst = dst[:0]
	for {
		if len(dst) == cap(dst) {
			room := max(step, 2*cap(dst))
			// most of the page is present, so the rest probably is too, and each step leaves
			// garbage
			if room > size/4 {
				room = withSlack(size) + 1
			}
			grown := make([]byte, len(dst), room)
			copy(grown, dst)
			dst = grown
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > size:
			return nil, errSize
		case err == io.EOF && len(dst) == size:
			return dst, nil
		case err == io.EOF:
			return nil, errSize
		case err != nil:
			return nil, err
		}
	}
}

// sized returns memory for a page of size bytes, or an error if src is too short for that. factor
// is the maximum expansion of the codec.
func sized(dst []byte, src, size, factor int) ([]byte, error) {
	if size > factor*src+64 {
		return nil, errSize
	}
	if cap(dst) < size {
		dst = make([]byte, withSlack(size))
	}
	return dst[:size], nil
}

// decompressSnappy relies on a copy of 64 bytes taking at least 2 bytes.
func decompressSnappy(dst, src []byte, size int) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, errSize
	}
	if dst, err = sized(dst, len(src), size, 32); err != nil {
		return nil, err
	}
	return snappy.Decode(dst, src)
}

// decompressLZ4 relies on each length byte standing for at most 255 bytes.
func decompressLZ4(dst, src []byte, size int) ([]byte, error) {
	dst, err := sized(dst, len(src), size, 255)
	if err != nil {
		return nil, err
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != size {
		err = errSize
	}
	return dst[:max(n, 0)], err
}

// decompressHadoop reads the layouts found under the name LZ4: blocks preceded by their lengths, as
// Hadoop writes them, a frame, or a bare block.
func decompressHadoop(dst, src []byte, size int) ([]byte, error) {
	if len(src) >= 4 && binary.LittleEndian.Uint32(src) == 0x184D2204 {
		return readAll(dst, lz4.NewReader(bytes.NewReader(src)), size)
	}
	if out, err := hadoopBlocks(dst, src, size); err == nil {
		return out, nil
	}
	return decompressLZ4(dst, src, size)
}

func hadoopBlocks(dst, src []byte, size int) ([]byte, error) {
	dst, err := sized(dst, len(src), size, 255)
	if err != nil {
		return nil, err
	}
	at := 0
	for len(src) > 0 {
		if len(src) < 8 {
			return nil, errCutShort
		}
		whole, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if uint64(packed) > uint64(len(src)) || uint64(whole) > uint64(size-at) {
			return nil, errSize
		}
		n, err := lz4.UncompressBlock(src[:packed], dst[at:at+int(whole)])
		if err != nil || n != int(whole) {
			return nil, errors.Join(err, errSize)
		}
		at, src = at+n, src[packed:]
	}
	if at != size {
		return nil, errSize
	}
	return dst, nil
}

// A compressor reuses the state of the compression libraries. Only one goroutine may use it.
type compressor struct {
	gzip   *gzip.Writer
	zstd   *zstd.Encoder
	brotli *brotli.Writer
	lz4    lz4.Compressor
	block  []byte // large enough for any compressed page
}

// buffer returns memory for the largest result of compressing size bytes.
func (c *compressor) buffer(most, size int) []byte {
	if size > 4*pageBytes {
		return make([]byte, most)
	}
	c.block = slices.Grow(c.block[:0], most)
	return c.block[:most]
}

// compress returns the compressed page in memory of its own, exactly as large as needed, since it
// is kept until the row group is written.
func (c *compressor) compress(how codec, page []byte) ([]byte, error) {
	out := new(bytes.Buffer)
	switch how {
	case snappyBlocks:
		return bytes.Clone(s2.EncodeSnappy(c.buffer(s2.MaxEncodedLen(len(page)), len(page)), page)), nil
	case lz4Raw:
		block := c.buffer(lz4.CompressBlockBound(len(page)), len(page))
		n, err := c.lz4.CompressBlock(page, block)
		return bytes.Clone(block[:n]), err
	case zstandard:
		if c.zstd == nil {
			var err error
			// The level is the default of pyarrow. Pages have a checksum of their own.
			c.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
				zstd.WithEncoderLevel(zstd.SpeedFastest))
			if err != nil {
				return nil, err
			}
		}
		if len(page) > 4*pageBytes { // grow with the output instead of allocating the maximum
			return c.zstd.EncodeAll(page, nil), nil
		}
		return bytes.Clone(c.zstd.EncodeAll(page, c.buffer(c.zstd.MaxEncodedSize(len(page)), len(page))[:0])), nil
	case gzipped:
		if c.gzip == nil {
			c.gzip = gzip.NewWriter(nil)
		}
		c.gzip.Reset(out)
		_, err := c.gzip.Write(page)
		err = errors.Join(err, c.gzip.Close())
		return out.Bytes(), err
	case brotlied:
		if c.brotli == nil {
			c.brotli = brotli.NewWriterLevel(nil, 5)
		}
		c.brotli.Reset(out)
		_, err := c.brotli.Write(page)
		err = errors.Join(err, c.brotli.Close())
		return out.Bytes(), err
	}
	return bytes.Clone(page), nil
}
