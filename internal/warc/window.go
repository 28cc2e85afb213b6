package warc

import (
	"bytes"
	"io"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// windowSize is the size of reads that do not go into a record directly.
const windowSize = 64 << 10

// A source is a decompressed file. Its window holds bytes of one gzip member.
type source struct {
	src     io.ReadCloser
	members *compress.Members // src, if it is a gzip stream
	window  []byte            // at:end is still to be read
	at, end int
	ended   bool  // the member ends after the window
	slow    bool  // the last read returned less than requested
	err     error // why nothing follows the window
	read    int64 // bytes taken from the window
}

func newSource(src io.ReadCloser) source {
	members, _ := src.(*compress.Members)
	return source{src: src, members: members, window: make([]byte, windowSize), ended: members != nil}
}

// readInto reads once.
func (s *source) readInto(p []byte) int {
	n, err := s.src.Read(p)
	s.slow = n < len(p)
	s.ended = err == compress.ErrEndOfMember
	if err != nil && !s.ended {
		s.err = err
	}
	return n
}

// fill reads more into the window, unless it ends at the end of a member.
func (s *source) fill() {
	if s.at > 0 {
		s.end = copy(s.window, s.window[s.at:s.end])
		s.at = 0
	}
	s.end += s.readInto(s.window[s.end:])
}

// peek returns the next n bytes, or fewer at the end of the file or the member.
func (s *source) peek(n int) []byte {
	for s.end-s.at < n && s.err == nil && !(s.ended && s.at < s.end) {
		s.fill()
	}
	return s.window[s.at:min(s.end, s.at+n)]
}

// atEdge reports whether a member ends here, with a valid checksum.
func (s *source) atEdge() bool {
	for s.at == s.end && !s.ended && s.err == nil {
		s.fill()
	}
	return s.at == s.end && s.ended
}

// begin starts keeping a member, in case a record begins with it, and returns its offset in the
// file, or -1 if no member begins here.
func (s *source) begin(most int) (offset int64, own bool) {
	offset = -1
	for s.members != nil && s.atEdge() {
		offset = s.members.Offset()
		s.members.Keep(most)
		if s.fill(); s.at < s.end {
			return offset, true
		}
	}
	return offset, false
}

// appendNext appends the next n bytes of the window to dst.
func (s *source) appendNext(dst []byte, n int) []byte {
	dst = append(dst, s.window[s.at:s.at+n]...)
	s.at += n
	s.read += int64(n)
	return dst
}

// line appends the rest of a line to dst, up to most bytes. It returns false if the file ends
// within the line, or if the line is longer.
func (s *source) line(dst []byte, most int) ([]byte, bool) {
	for most > 0 && len(s.peek(1)) > 0 {
		rest := s.window[s.at:min(s.end, s.at+most)]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return s.appendNext(dst, i+1), true
		}
		most -= len(rest)
		dst = s.appendNext(dst, len(rest))
	}
	return dst, false
}

// newline appends a line end to dst, if there is one before the end of the file or the member.
func (s *source) newline(dst []byte) ([]byte, bool) {
	if s.ended && s.at == s.end {
		return dst, false
	}
	next := s.peek(1)
	if len(next) == 1 && next[0] == '\r' {
		next = s.peek(2)
	}
	if !bytes.HasSuffix(next, []byte("\n")) {
		return dst, false
	}
	return s.appendNext(dst, len(next)), true
}

// block appends the next n bytes to dst, and returns how many are missing because the file ends, or
// because a member ends and another record follows. Its memory is proportional to what is there,
// whatever n is.
func (s *source) block(dst []byte, n int64) ([]byte, int64) {
	for n > 0 {
		if s.at < s.end {
			k := int(min(n, int64(s.end-s.at)))
			dst, n = s.appendNext(dst, k), n-int64(k)
			continue
		}
		if s.err != nil {
			break
		}
		if crossing := s.ended; crossing || n < windowSize {
			s.fill()
			if crossing && bytes.HasPrefix(s.window[s.at:s.end], []byte("WARC/")) {
				break
			}
			continue
		}
		dst = slices.Grow(dst, int(min(n, int64(max(windowSize, len(dst))))))
		k := s.readInto(dst[len(dst):min(int64(cap(dst)), int64(len(dst))+n)])
		dst, n, s.read = dst[:len(dst)+k], n-int64(k), s.read+int64(k)
	}
	return dst, n
}

// waits reports whether the next read may block for a while.
func (s *source) waits() bool {
	if s.members != nil {
		return s.at == s.end && s.members.Slow()
	}
	return s.at == s.end && s.slow
}
