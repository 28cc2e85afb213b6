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

// mostLZ4 is how many bytes one of LZ4 can become.
const mostLZ4 = 255

// checkCompressed makes sure that a buffer can become as long as it claims: the library takes that
// much memory before it decompresses anything.
func (a about) checkCompressed(buf []byte, limit int64) error {
	if len(buf) < 8 {
		return errors.New("it is compressed, but does not say how long it is")
	}
	size := int64(binary.LittleEndian.Uint64(buf))
	buf = buf[8:]
	switch {
	case size == -1: // it is not compressed
		return nil
	case size < 0:
		return fmt.Errorf("it would become %d bytes long", size)
	case size > limit:
		return limitError{limit}
	case a.codec == codecLZ4 && size/mostLZ4 > int64(len(buf)):
		return fmt.Errorf("%d bytes of lz4 cannot become %d", len(buf), size)
	case a.codec == codecZstd:
		var h zstd.Header
		if err := h.Decode(buf); err != nil {
			return fmt.Errorf("decompress: %w", err)
		}
		if h.HasFCS && h.FrameContentSize < uint64(size) {
			return fmt.Errorf("it claims to become %d bytes long, and %d", size, h.FrameContentSize)
		}
	}
	return nil
}

// compression is how a writer compresses buffers like those that were read.
func (a about) compression() []ipc.Option {
	switch {
	case !a.compressed:
		return nil
	case a.codec == codecZstd:
		return []ipc.Option{ipc.WithZstd()}
	}
	return []ipc.Option{ipc.WithLZ4()}
}
