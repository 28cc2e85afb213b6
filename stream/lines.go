package stream

import "bytes"

// lineCutter finds the ends of records that a byte terminates.
type lineCutter struct {
	headless
	newline byte
}

func (lineCutter) restart() {}

func (c lineCutter) find(buf []byte, seen int, first bool) (end int, err error) {
	if first {
		return bytes.IndexByte(buf, c.newline) + 1, nil
	}
	if n := lastIndexByte(buf[seen:], c.newline); n >= 0 {
		return endOfMost(buf[:seen+n+1], c.newline), nil
	}
	return 0, nil
}

// mostRecords is how many of them a batch holds. The sketch of a short record takes a hundred times
// its length.
const mostRecords = 2 << 10

// endOfMost returns where the line ends that is the last one of a batch: at the end of buf, unless
// there are too many.
func endOfMost(buf []byte, newline byte) (end int) {
	if bytes.Count(buf, []byte{newline}) <= mostRecords {
		return len(buf)
	}
	for range mostRecords {
		end += bytes.IndexByte(buf[end:], newline) + 1
	}
	return end
}

// lastIndexByte is bytes.LastIndexByte for long lines: that function examines one byte after the
// other, while bytes.IndexByte examines many at once.
func lastIndexByte(buf []byte, c byte) int {
	const piece = 512
	for end := len(buf); end > 0; {
		start := max(0, end-piece)
		if bytes.IndexByte(buf[start:end], c) >= 0 {
			return start + bytes.LastIndexByte(buf[start:end], c)
		}
		end = start
	}
	return -1
}

func (lineCutter) pending(buf []byte) int { return len(buf) }

func (c lineCutter) end([]byte) ([]byte, error) { return c.terminator(), nil }

func (c lineCutter) terminator() []byte { return []byte{c.newline} }
