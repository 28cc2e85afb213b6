package compress

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A zstd-compressed web archive begins with a skippable frame that holds the dictionary of all
// frames, possibly compressed itself (IIPC, WARC with Zstandard, version 1.0).
const (
	dictionaryFrame  = 0x184d2a5d
	dictionaryMagic  = 0xec30a437
	zstdMagic        = 0xfd2fb528
	mostOfDictionary = 128 << 20 // bytes; less if the window limit is lower
)

// errDictionary is returned if a dictionary exceeds the memory allowed for a window.
var errDictionary = errors.New("its dictionary is larger than --max-window: give a larger one")

// dictionaryOf reads the dictionary at the start of a zstd stream, and leaves the frames after it
// unread. Without a dictionary it returns nil and reads nothing.
func dictionaryOf(in *bufio.Reader, maxWindow int64) ([]byte, error) {
	head, err := in.Peek(12)
	if err != nil || binary.LittleEndian.Uint32(head) != dictionaryFrame {
		return nil, nil // decompressing will return the error
	}
	size := int64(binary.LittleEndian.Uint32(head[4:]))
	begins := binary.LittleEndian.Uint32(head[8:])
	if begins != dictionaryMagic && begins != zstdMagic || size < 4 {
		return nil, nil
	}
	most := min(maxWindow, mostOfDictionary)
	if size > most {
		return nil, errDictionary
	}
	if _, err := in.Discard(8); err != nil {
		return nil, err
	}
	dictionary, err := io.ReadAll(io.LimitReader(in, size))
	if err == nil && int64(len(dictionary)) < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil || begins == dictionaryMagic {
		return dictionary, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(most)), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	dictionary, err = z.DecodeAll(dictionary, nil)
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, errDictionary
	}
	if err != nil {
		err = fmt.Errorf("its dictionary: %w", err)
	}
	return dictionary, err
}
