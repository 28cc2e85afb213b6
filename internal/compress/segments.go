package compress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"runtime"

	"github.com/klauspost/compress/gzip"
)

// A gzip file with many members is decompressed on several cores. It is divided into segments
// that each begin at what looks like the header of a member. That may be wrong, so a segment counts
// only if the one before it ends exactly there, with a valid checksum.

const (
	segmentBytes = 2 << 20  // minimum bytes of the file
	longestLook  = 16 << 20 // how far to search for the next header
	chunkBytes   = 256 << 10
	chunksAhead  = 64 // buffered by a segment ahead of its reader
	maxSegments  = 8
)

// segments reads a gzip file segment by segment.
type segments struct {
	file    *os.File
	size    int64
	at      *segment   // the current segment
	ahead   []*segment // the following ones
	next    int64      // where the segment after these begins, or the size of the file
	cores   int
	chunk   []byte // the current chunk
	current []byte // its unread bytes
	free    chan []byte
	err     error
}

// segmentsOf returns nil if the source is not a large file, there is only one core, or no second
// member is found.
func segmentsOf(src io.Closer, start int64, isFile bool) *segments {
	file, ok := src.(*os.File)
	if !ok || !isFile {
		return nil
	}
	info, err := file.Stat()
	cores := min(runtime.GOMAXPROCS(0), maxSegments)
	if err != nil || !info.Mode().IsRegular() || cores < 2 || info.Size()-start < 2*segmentBytes {
		return nil
	}
	s := &segments{file: file, size: info.Size(), cores: cores, next: start,
		free: make(chan []byte, cores*(chunksAhead+2))}
	end := s.findMember(start + segmentBytes)
	if end == s.size {
		return nil
	}
	s.at = s.begin(start, end)
	s.next = end
	s.startAll()
	return s
}

// findMember returns the offset of the first member header from an offset on, or the size of the
// file.
func (s *segments) findMember(from int64) int64 {
	const step = 1 << 20
	block := make([]byte, step+headBytes)
	for at := from; at < min(s.size, from+longestLook); at += step {
		n, err := s.file.ReadAt(block, at)
		if err != nil && err != io.EOF {
			break // reading there will return the error
		}
		for i := 0; ; i++ {
			found := bytes.Index(block[i:n], []byte("\x1f\x8b\x08"))
			if found < 0 {
				break
			}
			if i += found; i < step && isHead(block[i:n]) {
				return at + int64(i)
			}
		}
	}
	return s.size
}

const headBytes = 10

// isHead reports whether b may begin a member header: RFC 1952 §2.3.1.
func isHead(b []byte) bool {
	if len(b) < headBytes {
		return false
	}
	flags, extra, system := b[3], b[8], b[9]
	return flags&0xe0 == 0 && (extra == 0 || extra == 2 || extra == 4) && (system <= 13 || system == 255)
}

// startAll starts segments until all cores have one.
func (s *segments) startAll() {
	for len(s.ahead) < s.cores-1 && s.next < s.size {
		end := s.findMember(s.next + segmentBytes)
		s.ahead = append(s.ahead, s.begin(s.next, end))
		s.next = end
	}
}

// Read reads from the current segment.
func (s *segments) Read(p []byte) (int, error) {
	for len(s.current) == 0 && s.err == nil {
		s.advance()
	}
	if len(s.current) == 0 {
		return 0, s.err
	}
	n := copy(p, s.current)
	s.current = s.current[n:]
	return n, nil
}

// advance moves to the next chunk, possibly of the next segment.
func (s *segments) advance() {
	if s.chunk != nil {
		select {
		case s.free <- s.chunk:
		default:
		}
	}
	c := <-s.at.chunks
	s.chunk, s.current = c.bytes[:cap(c.bytes)], c.bytes
	if c.bytes == nil {
		s.chunk = nil
	}
	switch {
	case c.err == nil:
	case !errors.Is(c.err, errSegmentEnd):
		s.err = c.err
	case len(s.ahead) > 0 && s.ahead[0].start == s.at.offset:
		s.at.stop()
		s.at, s.ahead = s.ahead[0], s.ahead[1:]
		_, _ = s.file.Seek(s.at.start, io.SeekStart) // shows how far it has been read
		s.startAll()
	case s.at.offset == s.size:
		s.err = io.EOF
	default: // what looked like a header was not one: continue from here on one core
		offset := s.at.offset
		s.close()
		s.ahead, s.next = nil, s.size
		s.at = s.begin(offset, s.size)
	}
}

// offset returns the bytes of the file read at the end of the current segment.
func (s *segments) offset() int64 { return s.at.offset }

func (s *segments) close() {
	for _, segment := range append(s.ahead, s.at) {
		segment.stop()
	}
}

// A segment is a range of members, decompressed by a goroutine.
type segment struct {
	start, end int64
	offset     int64 // its end, valid with its last chunk
	chunks     chan segmentChunk
	done       chan struct{} // closed when no more is needed
	stopped    chan struct{} // closed when the file is no longer read
	free       chan []byte   // chunks for reuse
}

type segmentChunk struct {
	bytes []byte
	err   error // errSegmentEnd, or the error
}

// errSegmentEnd means that a segment has ended after a member.
var errSegmentEnd = errors.New("end of segment")

func (s *segments) begin(start, end int64) *segment {
	g := &segment{start: start, end: end, offset: start, chunks: make(chan segmentChunk, chunksAhead),
		done: make(chan struct{}), stopped: make(chan struct{}), free: s.free}
	go g.run(s.file)
	return g
}

func (g *segment) stop() {
	close(g.done)
	<-g.stopped
}

// run decompresses members until one ends at or after the end of the segment.
func (g *segment) run(file *os.File) {
	defer close(g.stopped)
	from := io.NewSectionReader(file, g.start, math.MaxInt64-g.start)
	in := bufio.NewReaderSize(from, readAhead)
	place := func() int64 {
		taken, _ := from.Seek(0, io.SeekCurrent) // makes no system call
		return g.start + taken - int64(in.Buffered())
	}
	z, err := gzip.NewReader(in)
	for err == nil {
		z.Multistream(false)
		for n := 0; err == nil; {
			chunk := g.buffer()
			n, err = fill(z, chunk)
			if n > 0 && !g.send(segmentChunk{bytes: chunk[:n]}) {
				return
			}
		}
		if err != io.EOF {
			break
		}
		none := skipPadding(in)
		g.offset = place()
		if none == io.EOF || g.offset >= g.end {
			err = errSegmentEnd
			break
		}
		err = z.Reset(in)
	}
	g.offset = place()
	g.send(segmentChunk{err: err})
}

// buffer returns memory for a chunk.
func (g *segment) buffer() []byte {
	select {
	case chunk := <-g.free:
		return chunk
	default:
		return make([]byte, chunkBytes)
	}
}

// send passes a chunk to the reader, and reports whether there still is one.
func (g *segment) send(c segmentChunk) bool {
	select {
	case g.chunks <- c:
		return true
	case <-g.done:
		return false
	}
}

// fill reads until p is full or r returns an error, including io.EOF.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var k int
		k, err = r.Read(p[n:])
		n += k
	}
	return n, err
}
