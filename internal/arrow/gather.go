package arrow

import (
	"encoding/binary"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// A column collects values of a type from batches, by copying buffers without interpreting them.
type column struct {
	layout
	dtype arrow.DataType
	n     int
	nulls int
	buffers
	children   []*column
	dictionary arrow.ArrayData // of the values so far; nil at first
	ends       []int64         // of runs
	size       *int64          // bytes of all columns together
	limit      int64
}

// buffers hold the values of a column.
type buffers struct {
	valid  []byte // validity bits; nil while nothing is null
	first  []byte // values, bits, views, or type codes of a union
	second []byte // offsets of lists, bytes and dense unions
	third  []byte // bytes that offsets and views refer to, or sizes of list views
}

// newColumn returns a column of a type. size counts the bytes collected, which may not exceed
// limit.
func newColumn(t arrow.DataType, size *int64, limit int64) *column {
	c := &column{layout: layoutOf(t), dtype: t, size: size, limit: limit}
	for _, child := range childTypes(t) {
		c.children = append(c.children, newColumn(child, size, limit))
	}
	return c
}

// childTypes returns the types of the child columns of type t.
func childTypes(t arrow.DataType) (types []arrow.DataType) {
	t = storage(t)
	if _, isDictionary := t.(*arrow.DictionaryType); isDictionary {
		return nil
	}
	if nested, isNested := t.(arrow.NestedType); isNested {
		for _, f := range nested.Fields() {
			types = append(types, f.Type)
		}
	}
	return types
}

// fits reports whether the values of d can follow those collected: dictionary-encoded values need
// the same dictionary.
func (c *column) fits(d arrow.ArrayData) bool {
	if c.n > 0 && c.dictionary != nil && c.dictionary != d.Dictionary() {
		return false
	}
	for i, child := range c.children {
		if !child.fits(d.Children()[i]) {
			return false
		}
	}
	return true
}

func (c *column) grow(bytes int) {
	if *c.size += int64(bytes); *c.size > c.limit {
		panic(limitError{c.limit})
	}
}

// append collects the values [from, to).
func (c *column) append(d arrow.ArrayData, from, to int) {
	if from == to {
		return
	}
	if c.kind.hasValidity() {
		c.appendValidity(d, from, to)
	}
	if dictionary := d.Dictionary(); storage(c.dtype).ID() == arrow.DICTIONARY {
		c.dictionary = dictionary
	}
	switch c.kind {
	case bits:
		c.grow((to - from + 7) / 8)
		c.first = appendBits(c.first, c.n, bufferOf(d, 1), from, to)
	case fixed:
		c.grow((to - from) * c.width)
		c.first = append(c.first, bufferOf(d, 1)[from*c.width:to*c.width]...)
	case binaries:
		start, end := c.appendOffsets(d, from, to)
		c.grow(int(end - start))
		c.third = append(c.third, bufferOf(d, 2)[start:end]...)
	case views:
		c.appendViews(d, from, to)
	case lists:
		start, end := c.appendOffsets(d, from, to)
		c.children[0].append(d.Children()[0], int(start), int(end))
	case listViews:
		c.appendListViews(d, from, to)
	case fixedLists:
		c.children[0].append(d.Children()[0], from*c.width, to*c.width)
	case structs:
		c.appendChildren(d, from, to)
	case sparse:
		c.grow(to - from)
		c.first = append(c.first, bufferOf(d, 1)[from:to]...)
		c.appendChildren(d, from, to)
	case dense:
		c.appendDense(d, from, to)
	case runEnds:
		c.appendRuns(d, from, to)
	}
	c.n += to - from
}

func (c *column) appendChildren(d arrow.ArrayData, from, to int) {
	for i, child := range c.children {
		child.append(d.Children()[i], from, to)
	}
}

func (c *column) appendValidity(d arrow.ArrayData, from, to int) {
	valid := bufferOf(d, 0)
	if d.NullN() == 0 {
		valid = nil
	}
	if len(valid) == 0 && c.valid == nil {
		return
	}
	if c.valid == nil {
		c.valid = appendBits([]byte{}, 0, nil, 0, c.n)
	}
	c.grow((to - from + 7) / 8)
	c.valid = appendBits(c.valid, c.n, valid, from, to)
	if len(valid) > 0 {
		for i := from; i < to; i++ {
			if valid[i>>3]>>(i&7)&1 == 0 {
				c.nulls++
			}
		}
	}
}

// appendBits appends bits [from, to) of src, or ones if src is empty, to the n bits in dst.
func appendBits(dst []byte, n int, src []byte, from, to int) []byte {
	need := (n + to - from + 7) / 8
	dst = slices.Grow(dst, max(0, need-len(dst)))
	for len(dst) < need {
		dst = append(dst, 0)
	}
	for i := from; i < to; i++ {
		if len(src) == 0 || src[i>>3]>>(i&7)&1 != 0 {
			dst[n>>3] |= 1 << (n & 7)
		}
		n++
	}
	return dst
}

func appendNumber(dst []byte, n int64, width int) []byte {
	if width == 8 {
		return binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(n))
}

// appendOffsets appends the ends of values, and returns the bounds of the data they refer to.
func (c *column) appendOffsets(d arrow.ArrayData, from, to int) (start, end int64) {
	c.grow((to - from) * c.width)
	offsets := bufferOf(d, 1)
	if len(c.second) == 0 {
		c.second = appendNumber(c.second, 0, c.width)
	}
	base := number(c.second, c.n, c.width)
	start, end = number(offsets, from, c.width), number(offsets, to, c.width)
	for i := from + 1; i <= to; i++ {
		c.second = appendNumber(c.second, base+number(offsets, i, c.width)-start, c.width)
	}
	return start, end
}

// appendViews copies what views refer to into one buffer.
func (c *column) appendViews(d arrow.ArrayData, from, to int) {
	c.grow((to - from) * viewSize)
	for i := from; i < to; i++ {
		if isNull(d, i) {
			c.first = append(c.first, make([]byte, viewSize)...)
			continue
		}
		raw := bufferOf(d, 1)[viewSize*i:][:viewSize]
		c.first = append(c.first, raw...)
		if viewAt(raw, 0).length <= inlineView {
			continue
		}
		value := bytesAt(d, c.layout, i)
		c.grow(len(value))
		place := c.first[len(c.first)-8:]
		binary.LittleEndian.PutUint32(place, 0)
		binary.LittleEndian.PutUint32(place[4:], uint32(len(c.third)))
		c.third = append(c.third, value...)
	}
}

func (c *column) appendListViews(d arrow.ArrayData, from, to int) {
	c.grow((to - from) * 2 * c.width)
	child, elements := c.children[0], d.Children()[0]
	for i := from; i < to; i++ {
		var at, size int64
		if !isNull(d, i) {
			at, size = number(bufferOf(d, 1), i, c.width), number(bufferOf(d, 2), i, c.width)
		}
		c.second = appendNumber(c.second, int64(child.n), c.width)
		c.third = appendNumber(c.third, size, c.width)
		child.append(elements, int(at), int(at+size))
	}
}

func (c *column) appendDense(d arrow.ArrayData, from, to int) {
	c.grow((to - from) * 5)
	codes, offsets := bufferOf(d, 1), bufferOf(d, 2)
	for i := from; i < to; i++ {
		member := c.members[codes[i]]
		child, at := c.children[member], int(number(offsets, i, 4))
		c.first = append(c.first, codes[i])
		c.second = appendNumber(c.second, int64(child.n), 4)
		child.append(d.Children()[member], at, at+1)
	}
}

func (c *column) appendRuns(d arrow.ArrayData, from, to int) {
	ends := d.Children()[0]
	width := layoutOf(ends.DataType()).width
	n := int64(c.n)
	for run := runAt(d, from); from < to; run++ {
		end := min(int(number(bufferOf(ends, 1), run, width)), to)
		n += int64(end - from)
		c.grow(8)
		c.ends = append(c.ends, n)
		c.children[1].append(d.Children()[1], run, run+1)
		from = end
	}
}
