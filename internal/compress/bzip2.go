package compress

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"iter"
)

// bzip2Reader returns the blocks of bzip2 streams, each once its checksum is verified.
//
// The decoder of the standard library returns the contents of a block before it compares the
// checksum. It reads no byte after a block before that, so when it asks for one, the block is known
// to be intact. It is stopped there, in a coroutine, since that byte may take long: a reader of a
// pipe must not wait for the next block.
type bzip2Reader struct {
	next  func() ([][]byte, bool)
	stop  func()
	block [][]byte // remaining chunks of the current block
	left  []byte   // unread bytes of the current chunk
	err   error    // after the last block
}

// A block has at most 900 kB, which expand to 47 MB if all of them are runs of equal bytes. So only
// the chunks that a block of typical text needs are kept for reuse.
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

// Read returns what is left of the current block.
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

// bzip2Blocks is the source of a decoder, and collects its output since it last asked for a byte.
type bzip2Blocks struct {
	*bufio.Reader
	yield func([][]byte) bool
	held  [][]byte // contents of the block, not yet verified
	free  [][]byte
}

// errBzip2Stopped ends a decoder that is no longer needed.
var errBzip2Stopped = errors.New("the bzip2 stream was closed")

// ReadByte releases the block that the decoder has verified, as its asking for more shows.
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

// decode returns io.EOF after the last stream. A damaged block is not released.
func (b *bzip2Blocks) decode() error {
	z := bzip2.NewReader(b)
	for {
		chunk := b.buffer()
		n, err := z.Read(chunk)
		if n > 0 {
			b.held = append(b.held, chunk[:n])
		}
		if err != nil {
			return err
		}
	}
}

// buffer returns memory for a chunk.
func (b *bzip2Blocks) buffer() []byte {
	last := len(b.free) - 1
	if last < 0 {
		return make([]byte, bzip2Chunk)
	}
	chunk := b.free[last]
	b.free = b.free[:last]
	return chunk
}
