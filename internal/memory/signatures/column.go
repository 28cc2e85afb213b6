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

// A column stores one item of fixed size for each entry, in memory or in an unnamed file.
type column struct {
	size   int      // bytes of an item
	count  int      // number of items
	blocks [][]byte // of itemsPerBlock items each, while the column is in memory
	last   []byte   // the block being filled
	used   int      // bytes used of last

	file *os.File // nil while the column is in memory
	w    *bufio.Writer
	key  [keyBytes]byte // scratch of addKey
}

// itemsPerBlock is the number of items that are allocated, and read, together.
const itemsPerBlock = 1 << 13

// add appends an item. There must be room for it.
func (c *column) add(item []byte) error {
	if c.file != nil {
		if _, err := c.w.Write(item); err != nil {
			return unwritable(err)
		}
		c.count++
		return nil
	}
	c.startBlock()
	c.used += copy(c.last[c.used:c.used+len(item)], item)
	c.count++
	return nil
}

// addKey appends an item of four bytes. There must be room for it.
func (c *column) addKey(key uint32) error {
	if c.used+keyBytes <= len(c.last) { // the usual case
		binary.LittleEndian.PutUint32(c.last[c.used:], key)
		c.used += keyBytes
		c.count++
		return nil
	}
	binary.LittleEndian.PutUint32(c.key[:], key)
	return c.add(c.key[:])
}

// startBlock moves on to the next block if the current one is full.
func (c *column) startBlock() {
	if c.used == len(c.last) {
		c.last, c.used = c.blocks[c.count/itemsPerBlock], 0
	}
}

func unwritable(err error) error {
	return fmt.Errorf("write what is beyond the memory, in the directory of TMPDIR: %w", err)
}

// spill moves the column to a file in dir, or in the system's directory for temporary files.
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

// block returns the used part of a block.
func (c *column) block(i int) []byte {
	return c.blocks[i][:min(itemsPerBlock, c.count-i*itemsPerBlock)*c.size]
}

// flush writes buffered items, before anything is read.
func (c *column) flush() error {
	if c.file == nil {
		return nil
	}
	if err := c.w.Flush(); err != nil {
		return unwritable(err)
	}
	return nil
}

// scan calls do with all items, a block at a time, and the number of the first item of each block.
// It returns soon after ctx is done.
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

// at returns item i: its bytes in memory, or a copy read into buf.
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
