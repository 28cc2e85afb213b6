package compress

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"iter"
)

// bzip2Reader gives out the blocks of bzip2 streams, each when its checksum has been found right.
//
// The decoder of the standard library hands on what is in a block before it compares the checksum.
// It takes no byte of what follows a block before that is done, so there the block is known to be
// whole. We stop the decoder at that byte, in a coroutine, since it may be long in coming: a pipe
// is not kept waiting for the next block.
type bzip2Reader struct {
	next  func() ([][]byte, bool)
	stop  func()
	block [][]byte // chunks of the one at hand that follow
	left  []byte   // of the chunk at hand
	err   error    // after the last block
}

// A block has 900 kB at most, which become 47 MB if all of them are runs of equal bytes. So the
// chunks that one block of usual text takes are kept, and no more.
const (
	bzip2Chunk      = 256 << 10
	bzip2ChunksKept = 6
)

func newBzip2Reader(src *bufio.Reader) *bzip2Reader {
	r := &bzip2Reader{}
	r.next, r.stop = iter.Pull(func(yield func([][]byte) bool) {
		blocks := &bzip2Blocks{Reader: src, yield: yield}
		r.err = blocks.decode()
	})
	return r
}

// Read gives out what there is of the block at hand.
func (r *bzip2Reader) Read(p []byte) (n int, err error) {
	for len(r.left) == 0 {
		if len(r.block) == 0 {
			var more bool
			if r.block, more = r.next(); !more {
				return 0, r.err
			}
		}
		r.left, r.block = r.block[0], r.block[1:]
	}
	n = copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// bzip2Blocks is the source of a decoder, and what has come out of it since it last asked for a
// byte.
type bzip2Blocks struct {
	*bufio.Reader
	yield func([][]byte) bool
	held  [][]byte // what is in the block, which may be wrong
	free  [][]byte
}

// errBzip2Stopped ends a decoder from which nobody wants more.
var errBzip2Stopped = errors.New("the bzip2 stream was closed")

// ReadByte gives out the block whose end the decoder has found right, since it goes on.
func (b *bzip2Blocks) ReadByte() (byte, error) {
	if len(b.held) > 0 && !b.release() {
		return 0, errBzip2Stopped
	}
	return b.Reader.ReadByte()
}

func (b *bzip2Blocks) release() bool {
	block := b.held
	b.held = nil
	if !b.yield(block) {
		return false
	}
	for _, chunk := range block[:min(len(block), bzip2ChunksKept)] {
		b.free = append(b.free, chunk[:bzip2Chunk])
	}
	return true
}

// decode returns io.EOF behind the last stream. A block that is wrong is not given out.
func (b *bzip2Blocks) decode() error {
	z := bzip2.NewReader(b)
	for {
		chunk := b.room()
		n, err := z.Read(chunk)
		if n > 0 {
			b.held = append(b.held, chunk[:n])
		}
		if err != nil {
			return err
		}
	}
}

// room is memory for a chunk.
func (b *bzip2Blocks) room() []byte {
	last := len(b.free) - 1
	if last < 0 {
		return make([]byte, bzip2Chunk)
	}
	chunk := b.free[last]
	b.free = b.free[:last]
	return chunk
}
