package arrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// A checker makes sure that all offsets, indices and views in the buffers of a batch stay within
// bounds. Code that reads values afterwards needs no checks.
type checker struct {
	known map[arrow.ArrayData]bool // dictionaries checked in earlier batches
	used  map[arrow.ArrayData]bool // those used by this batch, which become known
	limit int64
	size  int64 // total bytes that views refer to, counting shared bytes repeatedly
}

// column checks a column with that many rows.
func (c *checker) column(d arrow.ArrayData, rows int) error {
	c.size = 0
	if d.Len() != rows {
		return fmt.Errorf("it has %d values, and the batch %d rows", d.Len(), rows)
	}
	return c.check(d)
}

func (c *checker) check(d arrow.ArrayData) error {
	l := layoutOf(d.DataType())
	n := d.Len()
	if d.Offset() != 0 || n < 0 {
		return fmt.Errorf("it has %d values from %d", n, d.Offset())
	}
	if l.kind.hasValidity() {
		if valid := bufferOf(d, 0); len(valid) > 0 && len(valid)*8 < n {
			return short("validity", len(valid), n)
		}
	}
	if n == 0 {
		return nil
	}
	switch l.kind {
	case nulls:
		return nil
	case bits:
		return atLeast(d, 1, (int64(n)+7)/8)
	case fixed:
		if err := atLeast(d, 1, int64(n)*int64(l.width)); err != nil {
			return err
		}
		return c.dictionary(d)
	case binaries:
		return c.binaries(d, l)
	case views:
		return c.views(d)
	case lists:
		return c.lists(d, l)
	case listViews:
		return c.listViews(d, l)
	case fixedLists:
		return c.child(d, 0, int64(n)*int64(l.width))
	case structs:
		return c.children(d, n)
	case sparse, dense:
		return c.unions(d, l)
	case runEnds:
		return c.runEnds(d)
	}
	return fmt.Errorf("values of the type %s are not read", d.DataType())
}

func short(what string, got, n int) error {
	return fmt.Errorf("its %s has %d bytes for %d values", what, got, n)
}

func atLeast(d arrow.ArrayData, buffer int, size int64) error {
	if got := len(bufferOf(d, buffer)); int64(got) < size {
		return short("buffer", got, d.Len())
	}
	return nil
}

func (c *checker) child(d arrow.ArrayData, i int, length int64) error {
	if i >= len(d.Children()) || int64(d.Children()[i].Len()) < length {
		return errors.New("it has fewer values below it than it refers to")
	}
	return c.check(d.Children()[i])
}

func (c *checker) children(d arrow.ArrayData, length int) error {
	for i := range d.Children() {
		if err := c.child(d, i, int64(length)); err != nil {
			return err
		}
	}
	return nil
}

// offsets checks that offsets do not decrease or exceed end.
func (c *checker) offsets(d arrow.ArrayData, l layout, end int64) error {
	n := d.Len()
	if err := atLeast(d, 1, int64(n+1)*int64(l.width)); err != nil {
		return err
	}
	buf, last := bufferOf(d, 1), int64(0)
	for i := range n + 1 {
		at := number(buf, i, l.width)
		if at < last || at > end {
			return fmt.Errorf("value %d is at %d, before %d or after the end at %d", i, at, last, end)
		}
		last = at
	}
	return nil
}

func (c *checker) binaries(d arrow.ArrayData, l layout) error {
	return c.offsets(d, l, int64(len(bufferOf(d, 2))))
}

func (c *checker) lists(d arrow.ArrayData, l layout) error {
	if len(d.Children()) != 1 {
		return errors.New("it is a list of nothing")
	}
	if err := c.offsets(d, l, int64(d.Children()[0].Len())); err != nil {
		return err
	}
	return c.check(d.Children()[0])
}

func (c *checker) views(d arrow.ArrayData) error {
	if err := atLeast(d, 1, viewSize*int64(d.Len())); err != nil {
		return err
	}
	for i := range d.Len() {
		if isNull(d, i) {
			continue
		}
		v := viewAt(bufferOf(d, 1), i)
		if v.length < 0 {
			return fmt.Errorf("value %d has %d bytes", i, v.length)
		}
		if v.length <= inlineView {
			continue
		}
		if v.buffer < 0 || int(v.buffer)+2 >= len(d.Buffers()) || v.offset < 0 ||
			int64(v.offset)+int64(v.length) > int64(len(bufferOf(d, 2+int(v.buffer)))) {
			return fmt.Errorf("value %d is beyond the end of its buffer", i)
		}
		if c.size += int64(v.length); c.size > c.limit {
			return limitError{c.limit}
		}
	}
	return nil
}

// maxElements bounds the elements of lists that may overlap.
const maxElements = 1 << 26

func (c *checker) listViews(d arrow.ArrayData, l layout) error {
	n := int64(d.Len())
	for buffer := 1; buffer <= 2; buffer++ {
		if err := atLeast(d, buffer, n*int64(l.width)); err != nil {
			return err
		}
	}
	if len(d.Children()) != 1 {
		return errors.New("it is a list of nothing")
	}
	end, all := int64(d.Children()[0].Len()), int64(0)
	for i := range d.Len() {
		if isNull(d, i) {
			continue
		}
		at, size := number(bufferOf(d, 1), i, l.width), number(bufferOf(d, 2), i, l.width)
		if at < 0 || size < 0 || at > end || size > end-at {
			return fmt.Errorf("list %d is beyond the end of its elements", i)
		}
		if all += size; all > maxElements && all > end {
			return fmt.Errorf("its lists have more than %d elements together, the same ones again and again",
				maxElements)
		}
	}
	return c.check(d.Children()[0])
}

func (c *checker) unions(d arrow.ArrayData, l layout) error {
	n := d.Len()
	if err := atLeast(d, 1, int64(n)); err != nil {
		return err
	}
	ids := bufferOf(d, 1)
	for i := range n {
		if ids[i] > 127 || l.members[ids[i]] < 0 || l.members[ids[i]] >= len(d.Children()) {
			return fmt.Errorf("value %d is of member %d, which does not exist", i, ids[i])
		}
	}
	if l.kind == sparse {
		return c.children(d, n)
	}
	if err := atLeast(d, 2, 4*int64(n)); err != nil {
		return err
	}
	for i := range n {
		at := number(bufferOf(d, 2), i, 4)
		if at < 0 || at >= int64(d.Children()[l.members[ids[i]]].Len()) {
			return fmt.Errorf("value %d is beyond the end of its member", i)
		}
	}
	return c.children(d, 0)
}

func (c *checker) runEnds(d arrow.ArrayData) error {
	if len(d.Children()) != 2 {
		return errors.New("it has no runs")
	}
	ends := d.Children()[0]
	l := layoutOf(ends.DataType())
	if l.kind != fixed || ends.Len() == 0 || ends.Len() > d.Children()[1].Len() {
		return errors.New("its runs have no ends or no values")
	}
	if err := c.check(ends); err != nil {
		return err
	}
	last := int64(0)
	for i := range ends.Len() {
		end := number(bufferOf(ends, 1), i, l.width)
		if end <= last {
			return fmt.Errorf("run %d ends at %d, before it begins", i, end)
		}
		last = end
	}
	if last < int64(d.Len()) {
		return fmt.Errorf("its last run ends at %d of %d values", last, d.Len())
	}
	return c.check(d.Children()[1])
}

// dictionary checks the indices of a dictionary-encoded column, and the dictionary.
func (c *checker) dictionary(d arrow.ArrayData) error {
	if storage(d.DataType()).ID() != arrow.DICTIONARY {
		return nil
	}
	values := d.Dictionary()
	for i := range d.Len() {
		if isNull(d, i) {
			continue
		}
		if at := indexAt(d, i); at < 0 || at >= values.Len() {
			return fmt.Errorf("value %d is number %d of a dictionary of %d", i, at, values.Len())
		}
	}
	if c.used == nil {
		c.used = map[arrow.ArrayData]bool{}
	}
	if !c.known[values] && !c.used[values] {
		if err := c.check(values); err != nil {
			return fmt.Errorf("its dictionary: %w", err)
		}
	}
	c.used[values] = true
	return nil
}
