package framelog

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// CheckEnd checks what follows the committed length of a log. A killed program may leave frames
// that were not committed, the last one incomplete. Anything else is an error.
func CheckEnd(file io.ReaderAt, length, size int64) error {
	var buf []byte
	for at := length; at < size; at += int64(len(buf)) {
		short, err := isCutShort(file, at, size)
		if err != nil || short {
			return err
		}
		if buf, err = readFrame(file, buf, at, size); errors.Is(err, ErrCorrupt) {
			return corruptAt(at, "%d bytes follow here that no run has written; they do not count, and the next run "+
				"that writes cuts them off", size-at)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// isCutShort reports whether an incomplete frame begins at an offset.
func isCutShort(file io.ReaderAt, at, size int64) (bool, error) {
	head := make([]byte, min(frameHead, size-at))
	if _, err := file.ReadAt(head, at); err != nil && err != io.EOF {
		return false, err
	}
	if n := min(len(head), len(frameMagic)); !strings.HasPrefix(frameMagic, string(head[:n])) {
		return false, nil
	}
	if len(head) >= 5 && (head[4] < kindEntries || head[4] > kindForgotten) {
		return false, nil
	}
	if len(head) < frameHead {
		return true, nil
	}
	payload := binary.LittleEndian.Uint64(head[8:])
	return payload <= 2*maxFrame && int64(payload)+frameOverhead > size-at, nil
}
