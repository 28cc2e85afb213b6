package compress

import (
	"bytes"
	"cmp"

	"github.com/klauspost/compress/gzip"
)

// A Packer makes gzip members, one after the other. It may be used by one goroutine.
type Packer struct {
	z    *gzip.Writer
	out  bytes.Buffer
	open bool // inside a member
}

// NewPacker returns one for a level from 1 to 9; 0 is the default. Method.Check knows which levels
// there are.
func NewPacker(level int) *Packer {
	p := &Packer{}
	p.z, _ = gzip.NewWriterLevel(&p.out, cmp.Or(level, gzip.DefaultCompression))
	return p
}

// Append appends a member that holds data.
func (p *Packer) Append(dst, data []byte) []byte { return p.AppendPiece(dst, data, true) }

// AppendPiece appends what is ready of a member that is given piece by piece.
func (p *Packer) AppendPiece(dst, piece []byte, last bool) []byte {
	if !p.open {
		p.z.Reset(&p.out)
		p.open = true
	}
	p.z.Write(piece) // into memory, which cannot fail
	if last {
		p.z.Close()
		p.open = false
	}
	dst = append(dst, p.out.Bytes()...)
	p.out.Reset()
	return dst
}
