package columnar

import (
	"bytes"
	"io"
)

// HasBetween reports whether a file has some bytes between two places. Files with footers that were
// joined by cat have the end of one and the beginning of the next there, after the data that the
// last footer speaks of: a footer counts from the beginning of its own file.
func HasBetween(in io.ReaderAt, from, to int64, what []byte) (bool, error) {
	buf := make([]byte, 64<<10)
	for at := from; at+int64(len(what)) <= to; at += int64(len(buf) - len(what) + 1) {
		n, err := in.ReadAt(buf[:min(int64(len(buf)), to-at)], at)
		if bytes.Contains(buf[:n], what) {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, err
		}
	}
	return false, nil
}
