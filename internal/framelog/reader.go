package framelog

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"
)

// frames passes on the header of a log and each of its frames with the offset of its payload. It
// reads them into buf, which grows.
func frames(
	file io.ReaderAt, length int64, buf *[]byte, header func([]byte) error,
	frame func(kind uint32, payload []byte, at int64) error,
) error {
	if length < headerBytes {
		return corruptAt(0, "it was committed up to %d, which is less than its header", length)
	}
	head, err := readHeader(file)
	if err != nil {
		return err
	}
	if err := header(head); err != nil {
		return err
	}
	for at := int64(headerBytes); at < length; {
		read, err := readFrame(file, *buf, at, length)
		if err != nil {
			return err
		}
		*buf = read
		if err := frame(binary.LittleEndian.Uint32(read[4:]), read[frameHead:len(read)-8], at+frameHead); err != nil {
			return fmt.Errorf("at byte %d: %w", at, err)
		}
		at += int64(len(read))
	}
	return nil
}

// readHeader returns the header of a log after verifying it.
func readHeader(file io.ReaderAt) ([]byte, error) {
	head := make([]byte, headerBytes)
	if n, err := file.ReadAt(head, 0); err != nil && (err != io.EOF || n < headerBytes) {
		return nil, corruptAt(0, "its header cannot be read: %v", err)
	}
	sum := len(head) - 8
	if binary.LittleEndian.Uint64(head[sum:]) != xxh3.Hash(head[:sum]) {
		return nil, corruptAt(0, "the checksum of its header is wrong")
	}
	return head, nil
}

// ReadHeader returns the numbers in the header of a log that begins with magic.
func ReadHeader(file io.ReaderAt, magic string) (numbers [headerNumbers]uint64, err error) {
	head, err := readHeader(file)
	if err != nil {
		return numbers, err
	}
	if string(head[:len(magic)]) != magic {
		return numbers, corruptAt(0, "it is a log of another kind")
	}
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint64(head[len(magic)+8*i:])
	}
	return numbers, nil
}

// readHead returns the kind of the frame at an offset, and its total size. The frame must end
// before length.
func readHead(file io.ReaderAt, at, length int64) (kind uint32, size int64, err error) {
	var head [frameHead]byte
	if length-at < frameOverhead {
		return 0, 0, corruptAt(at, "there is no whole frame here")
	}
	if _, err := file.ReadAt(head[:], at); err != nil && err != io.EOF {
		return 0, 0, err
	}
	payload := binary.LittleEndian.Uint64(head[8:])
	if string(head[:4]) != frameMagic || payload > 2*maxFrame || int64(payload)+frameOverhead > length-at {
		return 0, 0, corruptAt(at, "there is no whole frame here")
	}
	return binary.LittleEndian.Uint32(head[4:]), int64(payload) + frameOverhead, nil
}

// readFrame returns the frame at an offset. It must end before length.
func readFrame(file io.ReaderAt, buf []byte, at, length int64) ([]byte, error) {
	_, size, err := readHead(file, at, length)
	if err != nil {
		return nil, err
	}
	total := int(size)
	if cap(buf) < total {
		buf = make([]byte, total)
	}
	buf = buf[:total]
	if n, err := file.ReadAt(buf, at); n < total {
		if err == io.EOF {
			return nil, corruptAt(at, "the file ends here, and was committed up to %d", length)
		}
		return nil, err
	}
	if binary.LittleEndian.Uint64(buf[total-8:]) != xxh3.HashSeed(buf[:total-8], uint64(at)) {
		return nil, corruptAt(at, "the checksum is wrong")
	}
	return buf, nil
}

// corruptAt returns an error with an offset.
func corruptAt(at int64, format string, args ...any) error {
	return fmt.Errorf("%w at byte %d: %s", ErrCorrupt, at, fmt.Sprintf(format, args...))
}
