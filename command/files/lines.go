package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// A LineTaker takes lines with their places, the newline of each included (also one that the last
// line of a file lacks). What it is given is valid until it returns.
type LineTaker struct {
	Most  int // bytes of a line that is held in memory, without its newline
	Whole func(line []byte, name string, number uint64) error
	Part  func(part []byte, name string, number uint64, isFirst bool) error // of a longer line
}

// A lineCutter makes lines of what is read of a file.
type lineCutter struct {
	LineTaker
	name   string
	number uint64 // of the line at hand
	begun  []byte // what is known of it
	isLong bool   // a part of it was handed over
}

// EachLine hands over each line of a file.
func EachLine(ctx context.Context, src io.Reader, name string, take LineTaker) error {
	r, c := bufio.NewReaderSize(src, 1<<20), lineCutter{LineTaker: take, name: name, number: 1}
	for ctx.Err() == nil {
		part, err := r.ReadSlice('\n')
		switch {
		case err == io.EOF && len(part)+len(c.begun) == 0 && !c.isLong:
			return nil
		case err == io.EOF:
			return c.add(append(part[:len(part):len(part)], '\n'), true)
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("%s:%d: %w", name, c.number, err)
		}
		if err := c.add(part, err == nil); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// add takes in what follows, up to the end of the line or a part of it.
func (c *lineCutter) add(part []byte, isEnd bool) (err error) {
	length := len(c.begun) + len(part)
	if isEnd {
		length--
	}
	switch {
	case c.isLong || length > c.Most:
		err = c.pass(part)
	case isEnd && len(c.begun) == 0:
		err = c.Whole(part, c.name, c.number)
	default:
		if c.begun = append(c.begun, part...); isEnd {
			err = c.Whole(c.begun, c.name, c.number)
		}
	}
	if isEnd {
		c.begun, c.isLong = c.begun[:0], false
		c.number++
	}
	return err
}

// pass hands over parts of a line that is too long to be held.
func (c *lineCutter) pass(part []byte) error {
	if len(c.begun) > 0 {
		begun := c.begun
		c.begun = c.begun[:0]
		if err := c.pass(begun); err != nil {
			return err
		}
	}
	isFirst := !c.isLong
	c.isLong = true
	return c.Part(part, c.name, c.number, isFirst)
}
