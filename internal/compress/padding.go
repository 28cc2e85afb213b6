package compress

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// skipPadding skips zeros after a gzip member, with which tapes and some writers fill blocks, as
// gzip(1) does. It returns io.EOF if nothing else follows.
func skipPadding(in *bufio.Reader) error {
	for {
		next, err := in.Peek(1)
		if err != nil {
			return err
		}
		if next[0] != 0 {
			return nil
		}
		zeros := 1
		for there, _ := in.Peek(in.Buffered()); zeros < len(there) && there[zeros] == 0; {
			zeros++
		}
		if _, err := in.Discard(zeros); err != nil {
			return err
		}
	}
}

// A gzipReader reads all members, and skips padding between and after them.
type gzipReader struct {
	in    *bufio.Reader
	z     *gzip.Reader
	ended bool // the current member has ended
}

func newGzipReader(in *bufio.Reader) (*gzipReader, error) {
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipReader{in: in, z: z}, nil
}

func (g *gzipReader) Read(p []byte) (int, error) {
	for {
		if g.ended {
			if err := skipPadding(g.in); err != nil {
				return 0, err
			}
			if err := checkBehind(g.in); err != nil {
				return 0, err
			}
			if err := g.z.Reset(g.in); err != nil {
				if err == io.EOF {
					err = io.ErrUnexpectedEOF
				}
				return 0, err
			}
			g.z.Multistream(false)
			g.ended = false
		}
		n, err := g.z.Read(p)
		if err == io.EOF {
			g.ended, err = true, nil
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// errBehind is returned if a complete stream is followed by something else.
var errBehind = errors.New("what follows a complete stream there is not compressed")

// checkBehind returns errBehind if what is read next begins no further member.
func checkBehind(in *bufio.Reader) error {
	const magic = "\x1f\x8b"
	head, err := in.Peek(len(magic))
	if err != nil && err != io.EOF {
		return err
	}
	if !strings.HasPrefix(magic, string(head)) {
		return errBehind
	}
	return nil
}
