package records

import "io"

// A Reader reads records that are made while it is read, so that there may be more of them than any
// disk holds.
type Reader struct {
	Next func(dst []byte) []byte // appends a record, or nothing after the last one

	record, rest []byte // the current one, and what of it is not read yet
}

func (r *Reader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.rest) == 0 {
			r.record = r.Next(r.record[:0])
			r.rest = r.record
		}
		if len(r.rest) == 0 {
			break
		}
		k := copy(p[n:], r.rest)
		r.rest = r.rest[k:]
		n += k
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
