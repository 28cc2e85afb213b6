package record

import "bytes"

// lineSplitter finds the ends of records that a byte terminates.
type lineSplitter struct {
	headless
	newline  byte
	anyBytes bool // records are not lines of text
}

// Head refuses lines of another encoding: their bytes would be taken for records.
func (c lineSplitter) Head(block []byte) (int, *Table, error) {
	if !c.anyBytes && isUTF16(block) {
		return 0, nil, ErrUTF16
	}
	return 0, nil, nil
}

func (lineSplitter) Restart() {}

func (c lineSplitter) FindEnd(buf []byte, seen int, first bool) (end int, err error) {
	if first {
		return bytes.IndexByte(buf, c.newline) + 1, nil
	}
	if n := lastIndexByte(buf[seen:], c.newline); n >= 0 {
		return endOfMost(buf[:seen+n+1], c.newline), nil
	}
	return 0, nil
}

// MaxRecords is how many of them a batch holds. The sketch of a short record takes a hundred times
// its length.
const MaxRecords = 2 << 10

// endOfMost returns where the line ends that is the last one of a batch: at the end of buf, unless
// there are too many.
func endOfMost(buf []byte, newline byte) (end int) {
	if bytes.Count(buf, []byte{newline}) <= MaxRecords {
		return len(buf)
	}
	for range MaxRecords {
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

func (lineSplitter) Pending(buf []byte) int { return len(buf) }

func (c lineSplitter) Finish([]byte) ([]byte, error) { return c.Terminator(), nil }

func (c lineSplitter) Terminator() []byte { return []byte{c.newline} }
