package stream

import "bytes"

// lineCutter finds the ends of lines.
type lineCutter struct{}

func (lineCutter) restart() {}

func (lineCutter) find(buf []byte, seen int, first bool) (end int, err error) {
	if first {
		return bytes.IndexByte(buf, '\n') + 1, nil
	}
	if n := bytes.LastIndexByte(buf[seen:], '\n'); n >= 0 {
		return seen + n + 1, nil
	}
	return 0, nil
}

func (lineCutter) pending(buf []byte) int { return len(buf) }

func (lineCutter) terminator() []byte { return []byte{'\n'} }

// nextLine is parser.next where a record is a line.
func nextLine(buf []byte, start int) (body, end int) {
	body = start + bytes.IndexByte(buf[start:], '\n')
	return body, body + 1
}
