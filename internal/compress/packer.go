package compress

import (
	"bytes"
	"cmp"

	"github.com/klauspost/compress/gzip"
)

// A Packer compresses gzip members, one after the other. Only one goroutine may use it.
type Packer struct {
	z    *gzip.Writer
	out  bytes.Buffer
	open bool // inside a member
}

// NewPacker returns a Packer for a level from 1 to 9; 0 is the default. Method.Check validates
// levels.
func NewPacker(level int) *Packer {
	p := &Packer{}
	p.z, _ = gzip.NewWriterLevel(&p.out, cmp.Or(level, gzip.DefaultCompression))
	return p
}

// Append appends a member that contains data.
func (p *Packer) Append(dst, data []byte) []byte { return p.AppendPiece(dst, data, true) }

// AppendPiece adds a piece to a member and appends the output that is ready.
func (p *Packer) AppendPiece(dst, piece []byte, last bool) []byte {
	if !p.open {
		p.z.Reset(&p.out)
		p.open = true
	}
	p.z.Write(piece) // writes to memory, which cannot fail
	if last {
		p.z.Close()
		p.open = false
	}
	dst = append(dst, p.out.Bytes()...)
	p.out.Reset()
	return dst
}
