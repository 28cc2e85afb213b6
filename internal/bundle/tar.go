package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// tarBlock is the size of a header.
const tarBlock = 512

// IsTar reports whether head begins a tar archive. It needs 512 bytes, since a header has a
// checksum.
func IsTar(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(head[:tarBlock])).Next()
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) && bytes.HasPrefix(head[257:], []byte("ustar"))
}

// tarStream opens a tar archive at its beginning, decompressed.
type tarStream func() (io.ReadCloser, error)

// Tar lists a tar archive, which open opens at its beginning, decompressed. It reads all of it, so
// that damage is an error before any record is used; only in a seekable file it skips the contents
// of members. If contents are read, contents returns what identifies a member.
func Tar(open func() (io.ReadCloser, error), contents func(of *Edges) string) (*Archive, error) {
	c, err := tarStream(open).begin()
	if err != nil {
		return nil, err
	}
	defer c.close()
	a, taken := &Archive{}, map[string]int{}
	for {
		header, err := c.advance()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, c.explain(err, a.Members)
		}
		switch header.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse:
		case tar.TypeLink, tar.TypeSymlink:
			a.Links++
			continue
		default: // directories, devices
			continue
		}
		m := Member{Name: header.Name, Size: header.Size, number: c.number}
		if !c.seeks {
			edges := &Edges{}
			if _, err := io.Copy(edges, c.tar); err != nil {
				return nil, c.explain(err, a.Members)
			}
			m.Contents = contents(edges)
		}
		if err := a.add(m, taken); err != nil {
			return nil, err
		}
	}
	if err := c.atEnd(); err != nil {
		return nil, c.explain(err, a.Members)
	}
	source := &tarSource{open: open}
	a.open = source.member
	return a, nil
}

// A cursor is a position in a tar archive.
type cursor struct {
	src    io.ReadCloser
	tar    *tar.Reader
	number int  // of the current entry, from 0; -1 before the first
	seeks  bool // entries can be skipped without reading
	zeros  *zeroCounter
}

// A zeroCounter counts trailing zeros, since an archive ends with blocks of them.
type zeroCounter struct {
	io.Reader
	count int64
}

func (z *zeroCounter) Read(p []byte) (int, error) {
	n, err := z.Reader.Read(p)
	if rest := bytes.TrimRight(p[:n], "\x00"); len(rest) > 0 {
		z.count = int64(n - len(rest))
	} else {
		z.count += int64(n)
	}
	return n, err
}

// A seekingCounter is a zeroCounter of a seekable source.
type seekingCounter struct {
	*zeroCounter
	io.Seeker
}

func (open tarStream) begin() (*cursor, error) {
	src, err := open()
	if err != nil {
		return nil, err
	}
	c := &cursor{src: src, number: -1, zeros: &zeroCounter{Reader: src}}
	from := io.Reader(c.zeros)
	if seeker, seeks := src.(io.Seeker); seeks {
		c.seeks, from = true, seekingCounter{c.zeros, seeker}
	}
	c.tar = tar.NewReader(from)
	return c, nil
}

func (c *cursor) close() error { return c.src.Close() }

// advance moves to the next entry.
func (c *cursor) advance() (*tar.Header, error) {
	c.number++
	header, err := c.tar.Next()
	if errors.Is(err, tar.ErrInsecurePath) { // nothing is written under that name
		err = nil
	}
	return header, err
}

// atEnd reads what follows the end mark, which is zero padding.
func (c *cursor) atEnd() error {
	if c.zeros.count < tarBlock {
		return errors.New("it ends without an end mark, so that more may have followed")
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := c.src.Read(buf)
		if len(bytes.Trim(buf[:n], "\x00")) > 0 {
			return errors.New("something follows its end mark, perhaps another archive: extract it with tar -i, and " +
				"name the directory")
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// explain adds the position in the archive to an error.
func (c *cursor) explain(err error, members []Member) error {
	switch where := "before its first member"; {
	case len(members) > 0:
		where = fmt.Sprintf("behind member %d, %s", len(members), members[len(members)-1].Name)
		fallthrough
	default:
		if errors.Is(err, tar.ErrHeader) {
			err = errors.New("that is no header of tar")
		}
		return fmt.Errorf("the archive cannot be read %s: %w; nothing of it is read: get it again, or extract what "+
			"tar can, and name the files", where, err)
	}
}

// A tarSource opens members. It keeps its position, since the next member is usually asked for
// next.
type tarSource struct {
	open tarStream

	mu   sync.Mutex
	idle *cursor // may be nil
}

// acquire returns a cursor positioned before an entry.
func (s *tarSource) acquire(number int) (*cursor, error) {
	s.mu.Lock()
	c := s.idle
	s.idle = nil
	s.mu.Unlock()
	if c != nil && c.number < number {
		return c, nil
	}
	if c != nil {
		c.close()
	}
	return s.open.begin()
}

// release returns a cursor for reuse. Only the last one is kept.
func (s *tarSource) release(c *cursor) error {
	s.mu.Lock()
	before := s.idle
	s.idle = c
	s.mu.Unlock()
	if before != nil {
		return before.close()
	}
	return nil
}

func (s *tarSource) member(m Member) (io.ReadCloser, error) {
	c, err := s.acquire(m.number)
	if err != nil {
		return nil, err
	}
	var header *tar.Header
	for err == nil && c.number < m.number {
		header, err = c.advance()
	}
	if err == io.EOF || err == nil && header.Size != m.Size {
		err = errChanged
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return &tarMember{c, s}, nil
}

// A tarMember reads an entry.
type tarMember struct {
	at *cursor
	of *tarSource
}

func (m *tarMember) Read(p []byte) (int, error) { return m.at.tar.Read(p) }

func (m *tarMember) Close() error {
	at := m.at
	m.at = nil
	return m.of.release(at)
}
