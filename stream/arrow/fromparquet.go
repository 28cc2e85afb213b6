package arrow

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// A target takes the values of a node of Parquet into a column.
type target struct {
	*column
	of       parquet.Type
	children []*target
	scratch  []byte
}

func newTarget(c *column, t parquet.Type) *target {
	to := &target{column: c, of: t}
	below := c
	if t.Kind == parquet.MapKind { // its keys and values stand in a struct
		below = c.children[0]
	}
	for i, child := range t.Children {
		to.children = append(to.children, newTarget(below.children[i], child))
	}
	return to
}

// mark counts a value that is there or not.
func (c *column) mark(isThere bool) {
	if !isThere && c.valid == nil {
		c.valid = appendBits([]byte{}, 0, nil, 0, c.n)
	}
	if c.valid != nil {
		c.valid = appendBit(c.valid, c.n, isThere)
	}
	if !isThere {
		c.nulls++
	}
	c.n++
}

// appendNull appends a value that is not there.
func (c *column) appendNull() {
	c.mark(false)
	switch c.kind {
	case bits:
		c.first = appendBit(c.first, c.n-1, false)
	case fixed:
		c.grow(c.width)
		c.first = append(c.first, make([]byte, c.width)...)
	case binaries:
		c.endBytes(nil)
	case lists:
		c.endList()
	case structs:
		for _, child := range c.children {
			child.appendNull()
		}
	}
}

// endList ends a list whose elements have been appended.
func (c *column) endList() {
	c.grow(c.width)
	if len(c.second) == 0 {
		c.second = appendNumber(nil, 0, c.width)
	}
	c.second = appendNumber(c.second, int64(c.children[0].n), c.width)
}

// Null takes a value that is not there.
func (t *target) Null() { t.appendNull() }

// Begin begins a struct or a list.
func (t *target) Begin() {}

// End ends it.
func (t *target) End() {
	if t.kind == lists {
		t.endList()
	}
	t.mark(true)
}

// Child takes what stands below.
func (t *target) Child(i int) parquet.Target {
	if t.of.Kind == parquet.MapKind && i == 0 { // an entry begins with its key
		t.column.children[0].mark(true)
	}
	return t.children[i]
}

var errDecimal = errors.New("a decimal has more digits than its column says")

// Value takes a value as Parquet stores it.
func (t *target) Value(v []byte) {
	switch t.of.Kind {
	case parquet.BoolKind:
		t.mark(true)
		t.first = appendBit(t.first, t.n-1, v[0] != 0)
		return
	case parquet.TextKind, parquet.BytesKind:
		t.mark(true)
		t.endBytes(v)
		return
	case parquet.DecimalKind:
		v = t.decimal(v)
	case parquet.OldTimeKind:
		const julianEpoch = 2440588 // the day of 1970-01-01
		days := int64(int32(binary.LittleEndian.Uint32(v[8:]))) - julianEpoch
		t.scratch = binary.LittleEndian.AppendUint64(t.scratch[:0],
			uint64(days*86400*1e9)+binary.LittleEndian.Uint64(v))
		v = t.scratch
	}
	t.mark(true)
	t.grow(t.width)
	t.first = append(t.first, v[:t.width]...) // of an integer the bytes that count
}

// decimal makes a little-endian integer of the width of the column.
func (t *target) decimal(v []byte) []byte {
	t.scratch = append(t.scratch[:0], v...)
	if t.of.BigEndian {
		slices.Reverse(t.scratch)
	}
	sign := byte(0)
	if n := len(t.scratch); n > 0 && t.scratch[n-1]&0x80 != 0 {
		sign = 0xff
	}
	for len(t.scratch) < t.width {
		t.scratch = append(t.scratch, sign)
	}
	for _, b := range t.scratch[t.width:] {
		if b != sign {
			panic(errDecimal)
		}
	}
	if t.scratch[t.width-1]&0x80 != sign&0x80 {
		panic(errDecimal)
	}
	return t.scratch[:t.width]
}
