package arrow

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/zstd"
)

// Codecs of buffers (Message.fbs, CompressionType).
const codecLZ4, codecZstd = 0, 1

// mostLZ4 is the maximum expansion of a byte of LZ4.
const mostLZ4 = 255

// checkCompressed makes sure that a buffer can expand to the length it claims, because the library
// allocates that much before decompressing. It returns the length, or -1 if the buffer is not
// compressed.
func (a about) checkCompressed(buf []byte, limit int64) (size int64, err error) {
	if len(buf) < 8 {
		return 0, errors.New("it is compressed, but does not say how long it is")
	}
	size = int64(binary.LittleEndian.Uint64(buf))
	buf = buf[8:]
	switch {
	case size == -1: // not compressed
		return size, nil
	case size < 0:
		return 0, fmt.Errorf("it would become %d bytes long", size)
	case size > limit:
		return 0, limitError{limit}
	case a.codec == codecLZ4 && size/mostLZ4 > int64(len(buf)):
		return 0, fmt.Errorf("%d bytes of lz4 cannot become %d", len(buf), size)
	case a.codec == codecZstd:
		var h zstd.Header
		if err := h.Decode(buf); err != nil {
			return 0, fmt.Errorf("decompress: %w", err)
		}
		if h.HasFCS && h.FrameContentSize < uint64(size) {
			return 0, fmt.Errorf("it claims to become %d bytes long, and %d", size, h.FrameContentSize)
		}
	}
	return size, nil
}

// compression returns the option to compress like the input.
func (a about) compression() []ipc.Option {
	switch {
	case !a.compressed:
		return nil
	case a.codec == codecZstd:
		return []ipc.Option{ipc.WithZstd()}
	}
	return []ipc.Option{ipc.WithLZ4()}
}
