package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
	"github.com/mithril-stream/mithril-stream/stream"
)

// maxHeader bounds the header of a record, including blank lines before it.
const maxHeader = 64 << 10

// A Record describes a record of a file.
type Record struct {
	Time   int64 // its WARC-Date, in seconds since 1970; 0 if it has none
	Judged bool  // it holds a document: a conversion, a resource, or an HTTP response
	// how revisits refer to it, and to what it refers as a revisit
	Names, RefersTo stream.Names

	Header int // bytes of its header, including blank lines before it
	Added  int // bytes at its end that were not in the file
	// the gzip members that hold exactly this record, valid until the next call; may be nil
	Member []byte
	// it exceeds the reader's limit: only the header is returned, and More returns the rest
	Long bool
}

// A Reader reads the records of a file.
type Reader struct {
	source
	maxRecord int   // maximum bytes of a record
	rest      int64 // unread bytes of the block of a long record
	// where the current record begins, or the gzip member that contains several records
	offset int64
	early  *edge // the start of the next record, if it was read already
}

// An edge is the start of a record in the file.
type edge struct {
	offset int64
	own    bool // a member begins there
}

// NewReader returns a Reader of src, as opened by compress.NewMemberReader, for records of up to
// most bytes.
func NewReader(src io.ReadCloser, most int) *Reader {
	return &Reader{source: newSource(src), maxRecord: most}
}

// Next appends the next record to dst: its header, its block, and the two line ends after it, which
// are added if the file ends without them. Blank lines before it are part of it. It returns io.EOF
// if no record follows.
func (r *Reader) Next(dst []byte) ([]byte, Record, error) {
	offset, own := r.begin()
	switch {
	case r.members == nil:
		r.offset = r.read
	case offset >= 0:
		r.offset = offset
	}
	dst, rec, length, err := r.header(dst)
	switch {
	case err == io.EOF:
		return dst, rec, err
	case err != nil:
		return dst, rec, r.explain(err)
	case length > int64(r.maxRecord-rec.Header):
		rec.Long, r.rest = true, length
		return dst, rec, nil
	}
	dst, missing := r.block(dst, length)
	if missing > 0 {
		return dst, rec, r.explain(r.brokenBlock(length, missing))
	}
	if dst, rec.Member, rec.Added, err = r.trailer(dst, own); err != nil {
		return dst, rec, r.explain(err)
	}
	return dst, rec, nil
}

// More appends the next part of a long record to dst, about n bytes, and reports whether it is the
// last. added is the number of bytes that were not in the file.
func (r *Reader) More(dst []byte, n int) (_ []byte, last bool, added int, err error) {
	part := min(r.rest, int64(n))
	dst, missing := r.block(dst, part)
	r.rest -= part
	if missing > 0 {
		return dst, false, 0, r.explain(r.brokenBlock(r.rest+part, r.rest+missing))
	}
	if r.rest > 0 {
		return dst, false, 0, nil
	}
	if dst, _, added, err = r.trailer(dst, false); err != nil {
		return dst, false, 0, r.explain(err)
	}
	return dst, true, added, nil
}

// begin moves to the start of the next record. If a member begins there, it starts keeping the
// member's bytes.
func (r *Reader) begin() (offset int64, own bool) {
	if e := r.early; e != nil {
		r.early = nil
		return e.offset, e.own
	}
	return r.source.begin(r.maxRecord + maxHeader)
}

// explain adds the position to an error.
func (r *Reader) explain(err error) error {
	return fmt.Errorf("in the record at byte %d: %w", r.offset, err)
}

// header appends the header of the next record to dst and returns the length of its block.
func (r *Reader) header(dst []byte) (_ []byte, rec Record, length int64, err error) {
	start := len(dst)
	line := start // start of the last line
	for first := true; ; {
		var whole bool
		if dst, whole = r.line(dst, start+maxHeader-len(dst)); !whole {
			return dst, rec, 0, r.brokenHeader(dst[start:], dst[line:], first)
		}
		blank := len(bytes.TrimRight(dst[line:], "\r\n")) == 0
		if first && !blank {
			if !isVersion(dst[line:]) {
				return dst, rec, 0, notARecord(dst[line:])
			}
			first = false
		} else if blank && !first {
			break
		}
		line = len(dst)
	}
	h := readHeader(bytes.TrimLeft(dst[start:], "\r\n"))
	rec.Header = len(dst) - start
	length, ok := h.blockLength()
	if !ok {
		return dst, rec, 0, fmt.Errorf("its Content-Length should be a number of bytes, but is %q", h.length)
	}
	rec.Judged = h.isDocument()
	rec.Names, rec.RefersTo = h.names(), h.original()
	rec.Time, _ = timestamp.Parse(h.date)
	return dst, rec, length, nil
}

// isVersion reports whether a line begins a record.
func isVersion(line []byte) bool {
	number, found := bytes.CutPrefix(line, []byte("WARC/"))
	return found && len(number) > 0 && '0' <= number[0] && number[0] <= '9'
}

func notARecord(line []byte) error {
	return fmt.Errorf("a record should begin with WARC/1.0 or the like, but here is %.40q",
		bytes.TrimRight(line, "\r\n"))
}

// brokenHeader returns the error for an incomplete header. head is the part read, and line its last
// line.
func (r *Reader) brokenHeader(head, line []byte, first bool) error {
	switch {
	case r.err == io.EOF && len(bytes.Trim(head, "\r\n")) == 0:
		return io.EOF // only blank lines follow the last record
	case first && len(line) >= len("WARC/1") && !isVersion(line):
		return notARecord(line)
	case r.err == io.EOF:
		return fmt.Errorf("its header is cut off: %w", record.ErrCutOff)
	case r.err != nil:
		return r.err
	}
	return fmt.Errorf("its header is longer than %d bytes", maxHeader)
}

// brokenBlock returns the error for a block shorter than length.
func (r *Reader) brokenBlock(length, missing int64) error {
	switch {
	case r.err == io.EOF:
		return fmt.Errorf("%d of %d bytes are missing: %w", missing, length, record.ErrCutOff)
	case r.err != nil:
		return r.err
	}
	return fmt.Errorf("its Content-Length is %d bytes longer than what its gzip member holds", missing)
}

// trailer appends to dst what follows a block: two line ends, or in a gzip member all of them. own
// says that the record began with a member; if it also ends with one, trailer returns these
// members.
func (r *Reader) trailer(dst []byte, own bool) (_, members []byte, added int, err error) {
	lines := 0
	for start := len(dst); lines < 2 || r.members != nil; lines++ {
		if r.members != nil && r.atEdge() {
			if members = r.kept(own); lines >= 2 || !r.continues() {
				return dst, members, 0, nil
			}
			own, members = false, nil
		}
		// a line end that is split between two members
		if r.ended && string(r.window[r.at:r.end]) == "\r" {
			dst = r.appendNext(dst, 1)
			lines--
			continue
		}
		var found bool
		if dst, found = r.newline(dst); !found {
			break
		}
		if len(dst)-start > maxHeader {
			return dst, nil, 0, errors.New("too many blank lines follow it")
		}
	}
	if lines >= 2 && !own {
		return dst, nil, 0, nil
	}
	// A line end is missing, or a member contains more than one record. If no record follows, the
	// length of this one is wrong.
	next := r.peek(len("WARC/"))
	switch {
	case string(next) == "WARC/":
		return dst, nil, 0, nil
	case r.err != nil && r.err != io.EOF:
		return dst, nil, 0, r.err
	case len(next) > 0 && string(next) != "\r": // half a line end
		return dst, nil, 0, fmt.Errorf("its Content-Length is wrong: after it should be a blank line and another "+
			"record, but there is %q", next)
	}
	dst = r.appendNext(dst, len(next))
	missing := []byte("\r\n\r\n")[min(2*lines+len(next), 4):]
	return append(dst, missing...), nil, len(missing), nil
}

// kept returns the members read since the record began. The slice is valid until more is read.
func (r *Reader) kept(own bool) []byte {
	if !own {
		return nil
	}
	return r.members.Kept()
}

// continues handles a record that ends with its member but without line ends. It reports whether
// the next member has them. If not, another record has begun.
func (r *Reader) continues() bool {
	offset, own := r.begin()
	r.early = &edge{offset, own}
	if r.at < r.end && (r.window[r.at] == '\r' || r.window[r.at] == '\n') {
		r.early = nil
		return true
	}
	return false
}
