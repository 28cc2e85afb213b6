package signatures

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/private"
)

// A column has an item of the same length for each entry, one after the other: in memory, or in a
// file without a name.
type column struct {
	size   int      // bytes of an item
	count  int      // of them
	blocks [][]byte // with room for itemsPerBlock items each, while they are in memory
	last   []byte   // the block at hand
	used   int      // bytes of it

	file *os.File // nil as long as they are
	w    *bufio.Writer
	key  [keyBytes]byte // scratch of addKey
}

// itemsPerBlock is how many items are read, and have their memory, together.
const itemsPerBlock = 1 << 13

// add appends an item, for which there is room.
func (c *column) add(item []byte) error {
	if c.file != nil {
		if _, err := c.w.Write(item); err != nil {
			return unwritable(err)
		}
		c.count++
		return nil
	}
	c.begin()
	c.used += copy(c.last[c.used:c.used+len(item)], item)
	c.count++
	return nil
}

// addKey appends an item of four bytes, for which there is room.
func (c *column) addKey(key uint32) error {
	if c.used+keyBytes <= len(c.last) { // as nearly always
		binary.LittleEndian.PutUint32(c.last[c.used:], key)
		c.used += keyBytes
		c.count++
		return nil
	}
	binary.LittleEndian.PutUint32(c.key[:], key)
	return c.add(c.key[:])
}

// begin goes to the next block where one is full.
func (c *column) begin() {
	if c.used == len(c.last) {
		c.last, c.used = c.blocks[c.count/itemsPerBlock], 0
	}
}

func unwritable(err error) error {
	return fmt.Errorf("write what is beyond the memory, in the directory of TMPDIR: %w", err)
}

// spill moves the column to a file in dir, or where the system keeps temporary files.
func (c *column) spill(dir string) error {
	file, err := private.Unnamed(dir)
	if err != nil {
		return fmt.Errorf("make a file for what is beyond the memory: %w", err)
	}
	c.file, c.w = file, bufio.NewWriterSize(file, 64<<10)
	for i := 0; i*itemsPerBlock < c.count; i++ {
		if _, err := c.w.Write(c.block(i)); err != nil {
			return unwritable(err)
		}
	}
	c.blocks, c.last, c.used = nil, nil, 0
	return nil
}

// block is what a block has.
func (c *column) block(i int) []byte {
	return c.blocks[i][:min(itemsPerBlock, c.count-i*itemsPerBlock)*c.size]
}

// flush ends writing, before anything is read.
func (c *column) flush() error {
	if c.file == nil {
		return nil
	}
	if err := c.w.Flush(); err != nil {
		return unwritable(err)
	}
	return nil
}

// scan calls do with all items, some at a time, and with the number of the first of these. It ends
// soon after ctx is done.
func (c *column) scan(ctx context.Context, do func(first int, items []byte)) error {
	if c.file == nil {
		for i := 0; i*itemsPerBlock < c.count; i++ {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			do(i*itemsPerBlock, c.block(i))
		}
		return nil
	}
	buf := make([]byte, itemsPerBlock*c.size)
	for first := 0; first < c.count; first += itemsPerBlock {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		items := buf[:min(itemsPerBlock, c.count-first)*c.size]
		if _, err := c.file.ReadAt(items, int64(first)*int64(c.size)); err != nil {
			return c.unreadable(err)
		}
		do(first, items)
	}
	return nil
}

// at returns item i: where it lies in memory, or read into buf.
func (c *column) at(i int, buf []byte) ([]byte, error) {
	if c.file == nil {
		start := i % itemsPerBlock * c.size
		return c.blocks[i/itemsPerBlock][start : start+c.size], nil
	}
	if _, err := c.file.ReadAt(buf[:c.size], int64(i)*int64(c.size)); err != nil {
		return nil, c.unreadable(err)
	}
	return buf[:c.size], nil
}

func (c *column) unreadable(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read what is beyond the memory: %w", err)
}

func (c *column) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
