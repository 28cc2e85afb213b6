package substr

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// bitmap holds one bit for each byte of the spool. It lies in a nameless file of its own, like the
// text. Bits are only ever set, and by several goroutines.
type bitmap struct {
	file  *os.File
	data  []byte
	words []uint64
}

func newBitmap(dir string, n int) (*bitmap, error) {
	file, err := private.Unnamed(dir)
	if err != nil {
		return nil, err
	}
	size := (n + 64) / 64 * 8
	// Written, not truncated to size: a full disk must fail here, and not on the first touch of a
	// page.
	if _, err := io.CopyN(file, zeros{}, int64(size)); err != nil {
		file.Close()
		return nil, fmt.Errorf("temporary file for marks: %w", err)
	}
	data, err := mapFile(file, size, true)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &bitmap{file: file, data: data, words: unsafe.Slice((*uint64)(unsafe.Pointer(&data[0])), size/8)}, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (b *bitmap) close() error {
	if b == nil {
		return nil
	}
	unmap(b.data)
	b.data, b.words = nil, nil
	return b.file.Close()
}

func (b *bitmap) word(i int) uint64 { return atomic.LoadUint64(&b.words[i]) }

func (b *bitmap) has(p int) bool { return b.word(p>>6)>>(p&63)&1 != 0 }

// set sets the bits from … to−1.
func (b *bitmap) set(from, to int) {
	for from < to {
		last := min(to, from|63+1)
		mask := ^uint64(0) << (from & 63)
		if last&63 != 0 {
			mask &= 1<<(last&63) - 1
		}
		if word := &b.words[from>>6]; atomic.LoadUint64(word)&mask != mask {
			atomic.OrUint64(word, mask)
		}
		from = last
	}
}

// next returns the first position from … to−1 whose bit is set here and not in except (which may be
// nil), or to.
func (b *bitmap) next(from, to int, except *bitmap) int {
	for i := from >> 6; i<<6 < to; i++ {
		word := b.word(i)
		if except != nil {
			word &^= except.word(i)
		}
		if i == from>>6 {
			word &= ^uint64(0) << (from & 63)
		}
		if word != 0 {
			return min(i<<6+bits.TrailingZeros64(word), to)
		}
	}
	return to
}

// last returns the last position from … to−1 whose bit is set; the bit of from must be.
func (b *bitmap) last(from, to int) int {
	for i := (to - 1) >> 6; ; i-- {
		word := b.word(i)
		if to < (i+1)<<6 {
			word &= 1<<(to&63) - 1
		}
		if word != 0 {
			return max(from, i<<6+63-bits.LeadingZeros64(word))
		}
		if i<<6 <= from {
			return from
		}
	}
}

// count returns how many bits are set.
func (b *bitmap) count() int {
	n := 0
	for i := range b.words {
		n += bits.OnesCount64(b.words[i])
	}
	return n
}
