package arrow

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// values returns the collected values. They are valid until reset.
func (c *column) values() arrow.ArrayData {
	if c.kind == runEnds {
		c.endRuns()
	}
	children := make([]arrow.ArrayData, len(c.children))
	for i, child := range c.children {
		children[i] = child.values()
	}
	var buffers []*memory.Buffer
	switch c.kind {
	case nulls, runEnds:
		buffers = []*memory.Buffer{nil}
	case bits, fixed:
		buffers = []*memory.Buffer{bufferOrNil(c.valid), memory.NewBufferBytes(c.first)}
	case binaries, lists:
		if len(c.second) == 0 {
			c.second = appendNumber(nil, 0, c.width)
		}
		buffers = []*memory.Buffer{bufferOrNil(c.valid), memory.NewBufferBytes(c.second)}
		if c.kind == binaries {
			buffers = append(buffers, memory.NewBufferBytes(c.third))
		}
	case views:
		buffers = []*memory.Buffer{bufferOrNil(c.valid), memory.NewBufferBytes(c.first)}
		if len(c.third) > 0 {
			buffers = append(buffers, memory.NewBufferBytes(c.third))
		}
	case listViews:
		buffers = []*memory.Buffer{
			bufferOrNil(c.valid), memory.NewBufferBytes(c.second), memory.NewBufferBytes(c.third),
		}
	case fixedLists, structs:
		buffers = []*memory.Buffer{bufferOrNil(c.valid)}
	case sparse:
		buffers = []*memory.Buffer{nil, memory.NewBufferBytes(c.first)}
	case dense:
		buffers = []*memory.Buffer{nil, memory.NewBufferBytes(c.first), memory.NewBufferBytes(c.second)}
	}
	if storage(c.dtype).ID() == arrow.DICTIONARY {
		return c.withDictionary(buffers)
	}
	return array.NewData(c.dtype, c.n, buffers, children, c.countNulls(), 0)
}

// reset empties the column, once the values are written.
func (c *column) reset() {
	c.n, c.nulls, c.valid, c.ends = 0, 0, nil, c.ends[:0]
	c.first, c.second, c.third = emptied(c.first), emptied(c.second), emptied(c.third)
	for _, child := range c.children {
		child.reset()
	}
}

// emptied returns the buffer for reuse, unless a long value has made it large.
func emptied(b []byte) []byte {
	if cap(b) > 2*batchBytes {
		return nil
	}
	return b[:0]
}

func (c *column) countNulls() int {
	if c.kind == nulls {
		return c.n
	}
	return c.nulls
}

func (c *column) withDictionary(buffers []*memory.Buffer) arrow.ArrayData {
	dictionary, ok := c.dictionary.(*array.Data)
	if !ok { // there is no value
		empty := newColumn(storage(c.dtype).(*arrow.DictionaryType).ValueType, c.size, c.limit)
		dictionary = empty.values().(*array.Data)
	}
	return array.NewDataWithDictionary(c.dtype, c.n, buffers, c.nulls, 0, dictionary)
}

// endRuns writes the ends of runs in their width.
func (c *column) endRuns() {
	ends := c.children[0]
	for _, end := range c.ends {
		switch ends.width {
		case 2:
			if end != int64(int16(end)) {
				panic(errors.New("its runs end after more rows than can be counted in 16 bits"))
			}
			ends.first = binary.LittleEndian.AppendUint16(ends.first, uint16(end))
		default:
			ends.first = appendNumber(ends.first, end, ends.width)
		}
	}
	ends.n = len(c.ends)
}

func bufferOrNil(b []byte) *memory.Buffer {
	if b == nil {
		return nil
	}
	return memory.NewBufferBytes(b)
}
