package compress

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// ErrEndOfMember is returned at the end of a gzip member, once its checksum is verified.
var ErrEndOfMember = errors.New("end of member")

// Members reads a gzip stream and exposes where its members begin and end, and their compressed
// bytes.
type Members struct {
	from     *counter
	src      io.Closer
	tape     tape
	in       *bufio.Reader // reads from the tape
	z        *gzip.Reader
	inMember bool // inside a member
}

func newMembers(from *counter, src io.Closer) *Members {
	m := &Members{from: from, src: src, tape: tape{src: from}}
	m.in = bufio.NewReaderSize(&m.tape, readAhead)
	return m
}

// Read reads from one member. At its end it returns ErrEndOfMember, possibly together with its last
// bytes; the next call reads from the next member.
func (m *Members) Read(p []byte) (int, error) {
	if !m.inMember {
		if err := m.begin(); err != nil {
			return 0, err
		}
	}
	n, err := m.z.Read(p)
	switch {
	case err == io.EOF:
		m.inMember, err = false, ErrEndOfMember
	case err != nil:
		err = m.from.explain("gzip", m.Offset(), err)
	}
	return n, err
}

// begin reads the header of a member. It returns io.EOF after the last one.
func (m *Members) begin() (err error) {
	if m.z != nil {
		err = skipPadding(m.in)
	} else {
		_, err = m.in.Peek(1)
	}
	if err == io.EOF {
		return io.EOF
	}
	if m.z == nil {
		m.z, err = gzip.NewReader(m.in)
	} else if err = checkBehind(m.in); err == nil {
		err = m.z.Reset(m.in)
	}
	if err != nil {
		return m.from.explain("gzip", m.Offset(), err)
	}
	m.z.Multistream(false)
	m.inMember = true
	return nil
}

// Offset returns the number of compressed bytes read. Between two members it is exact.
func (m *Members) Offset() int64 { return m.from.n.Load() - int64(m.in.Buffered()) }

// Slow reports whether the last read of the stream returned less than it asked for, so that more
// data may take a while.
func (m *Members) Slow() bool { return m.tape.short && m.in.Buffered() == 0 }

// Keep starts keeping the compressed bytes that are read from here on, up to about most bytes. Call
// it between two members.
func (m *Members) Keep(most int) {
	m.tape.drop(m.in.Buffered())
	m.tape.maxBytes = most + m.in.Buffered() + readAhead // which may belong to the next members
}

// Kept returns the compressed bytes read since Keep, or nil if they exceeded the limit. The slice
// is valid until more is read.
func (m *Members) Kept() []byte {
	if m.tape.maxBytes == 0 {
		return nil
	}
	kept := m.tape.bytes[m.tape.from:]
	return kept[:len(kept)-m.in.Buffered()]
}

// Close closes the source.
func (m *Members) Close() error { return m.src.Close() }

// A tape is a reader that keeps what it has read, from some offset on.
type tape struct {
	src      io.Reader
	bytes    []byte
	from     int  // earlier bytes are no longer needed
	maxBytes int  // bytes to keep; 0 once they are exceeded, and nothing is kept
	short    bool // the last read returned less than requested
}

func (t *tape) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	t.short = n < len(p)
	if t.from > 0 {
		t.bytes = t.bytes[:copy(t.bytes, t.bytes[t.from:])]
		t.from = 0
	}
	if len(t.bytes)+n > t.maxBytes {
		t.maxBytes = 0
		t.bytes = t.bytes[:0]
	}
	t.bytes = append(t.bytes, p[:n]...) // the last ones may belong to the next member
	return n, err
}

// drop discards all but the last bytes.
func (t *tape) drop(last int) {
	t.from = len(t.bytes) - last
	if last == 0 && cap(t.bytes) > 1<<20 { // after a long member
		t.bytes, t.from = nil, 0
	}
}
