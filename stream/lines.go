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
	if n := bytes.LastIndexByte(buf[seen:], c.newline); n >= 0 {
		return seen + n + 1, nil
	}
	return 0, nil
}

func (lineCutter) pending(buf []byte) int { return len(buf) }

func (c lineCutter) end([]byte) ([]byte, error) { return c.terminator(), nil }

func (c lineCutter) terminator() []byte { return []byte{c.newline} }
