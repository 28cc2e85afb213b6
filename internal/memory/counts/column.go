package counts

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A column stores one number for each record, or for each byte of a record, outside the Go heap. It
// consists of pieces, so that it grows without copying.
type column[T offheap.Number] struct {
	n      uint64
	pieces [][]T
}

// pieceItems is the number of items in a piece, a power of two.
const pieceItems = 1 << 18

func (c *column[T]) append(value T) error {
	if c.n%pieceItems == 0 {
		piece, err := offheap.AllocateNumbers[T](pieceItems)
		if err != nil {
			return err
		}
		c.pieces = append(c.pieces, piece)
	}
	c.pieces[c.n/pieceItems][c.n%pieceItems] = value
	c.n++
	return nil
}

// at returns item i, from 0.
func (c *column[T]) at(i uint64) T { return c.pieces[i/pieceItems][i%pieceItems] }

func (c *column[T]) close() (err error) {
	for _, piece := range c.pieces {
		err = errors.Join(err, offheap.ReleaseNumbers(piece))
	}
	*c = column[T]{}
	return err
}

// numbers is a set of numbers.
type numbers []uint64

func (b numbers) has(i uint32) bool { return int(i/64) < len(b) && b[i/64]>>(i%64)&1 == 1 }

func (b *numbers) set(i uint32) {
	for int(i/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[i/64] |= 1 << (i % 64)
}
