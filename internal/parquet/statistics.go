package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/jsonvalue"
)

// Statistics of column chunks (Statistics) and pages (ColumnIndex), by which readers skip what they
// do not look for.

// An order compares PLAIN values of a column (parquet.thrift, ColumnOrder). It is nil where the
// format defines none, as for INT96 and INTERVAL.
type order func(a, b []byte) int

func (c *column) order() order {
	a := &c.annotation
	switch c.physical {
	case boolean:
		return bytes.Compare
	case int32s:
		if a.meaning == unsignedInt {
			return func(a, b []byte) int { return cmp.Compare(leUint32(a), leUint32(b)) }
		}
		return func(a, b []byte) int { return cmp.Compare(int32(leUint32(a)), int32(leUint32(b))) }
	case int64s:
		if a.meaning == unsignedInt {
			return func(a, b []byte) int { return cmp.Compare(leUint64(a), leUint64(b)) }
		}
		return func(a, b []byte) int { return cmp.Compare(int64(leUint64(a)), int64(leUint64(b))) }
	case float, double:
		return func(a, b []byte) int { return cmp.Compare(c.number(a), c.number(b)) }
	case byteArray, fixedLenByteArray:
		return c.orderOfBytes()
	}
	return nil
}

func (c *column) orderOfBytes() order {
	a := &c.annotation
	switch {
	case a.meaning == decimal:
		return compareDecimals
	case a.meaning == float16 && c.width == 2:
		return func(a, b []byte) int { return cmp.Compare(c.number(a), c.number(b)) }
	case a.meaning == plain, a.meaning == text, a.meaning == uuid, a.logicalID == bsonType,
		a.converted == bsonConverted:
		return bytes.Compare
	}
	return nil
}

const bsonType, bsonConverted = 13, 20

var leUint32, leUint64 = binary.LittleEndian.Uint32, binary.LittleEndian.Uint64

// compareDecimals compares big-endian numbers in two's complement of any lengths.
func compareDecimals(a, b []byte) int {
	sign := func(n []byte) byte {
		if len(n) > 0 && n[0]&0x80 != 0 {
			return 0xff
		}
		return 0
	}
	if sign(a) != sign(b) {
		return cmp.Compare(int8(sign(a)), int8(sign(b)))
	}
	at := func(n []byte, i, length int) byte { // sign-extends n to length
		if i += len(n) - length; i >= 0 {
			return n[i]
		}
		return sign(n)
	}
	length := max(len(a), len(b))
	for i := range length {
		if x, y := at(a, i, length), at(b, i, length); x != y {
			return cmp.Compare(x, y)
		}
	}
	return 0
}

// number returns the value of a column of floating-point numbers.
func (c *column) number(value []byte) float64 {
	switch c.width {
	case 8:
		return math.Float64frombits(leUint64(value))
	case 4:
		return float64(math.Float32frombits(leUint32(value)))
	}
	return float64(jsonvalue.HalfFloat(binary.LittleEndian.Uint16(value)))
}

// isString reports whether values vary in length and are compared byte by byte.
func (c *column) isString() bool { return c.physical == byteArray && c.annotation.meaning != decimal }

// isNumber reports whether a column holds floating-point numbers.
func (c *column) isNumber() bool {
	return c.physical == float || c.physical == double || c.annotation.meaning == float16 && c.width == 2
}

// extremes are the least and the greatest of some values, ignoring NaN.
type extremes struct {
	min, max []byte
	known    bool
	tooLong  bool
	values   int // number of values, including NaN
}

// maxExact is the maximum length of a value that is stored as an exact bound.
const maxExact = 1 << 10

func (e *extremes) reset() { *e = extremes{min: e.min[:0], max: e.max[:0]} }

// add extends the extremes to a value of a column that has an order. Of a long string only a prefix
// is kept, which is sufficient for its bound.
func (e *extremes) add(c *column, compare order, value []byte) {
	e.values++
	if c.isString() {
		value = value[:min(len(value), maxBound+1)]
	}
	switch {
	case c.isNumber() && math.IsNaN(c.number(value)):
	case len(value) > maxExact: // such a decimal is not kept in memory
		e.tooLong = true
	case !e.known:
		e.min, e.max, e.known = append(e.min[:0], value...), append(e.max[:0], value...), true
	case compare(value, e.min) < 0:
		e.min = append(e.min[:0], value...)
	case compare(value, e.max) > 0:
		e.max = append(e.max[:0], value...)
	}
}

// join extends the extremes to those of further values.
func (e *extremes) join(c *column, compare order, of *extremes) {
	values := e.values + of.values
	e.tooLong = e.tooLong || of.tooLong
	if of.known {
		e.add(c, compare, of.min)
		e.add(c, compare, of.max)
	}
	e.values = values
}

// maxBound is the maximum length of a bound of strings. Longer ones are truncated to valid bounds.
const maxBound = 64

// bounds are the form in which extremes are written.
type bounds struct {
	min, max               []byte
	minIsExact, maxIsExact bool // whether a value equals the bound
}

// bounds returns the bounds. ok is false if a value is unknown, or no string of maxBound bytes is
// above the greatest. Then neither bound is written, since not all readers support only one.
func (e *extremes) bounds(c *column) (b bounds, ok bool) {
	if !e.known || e.tooLong {
		return b, false
	}
	b = bounds{min: e.min, max: e.max, minIsExact: true, maxIsExact: true}
	if c.isNumber() && c.number(b.min) == 0 { // the order does not define the sign of zero
		b.min = append([]byte(nil), b.min...)
		b.min[len(b.min)-1] |= 0x80
	}
	if c.isNumber() && c.number(b.max) == 0 {
		b.max = append([]byte(nil), b.max...)
		b.max[len(b.max)-1] &^= 0x80
	}
	if !c.isString() {
		return b, true
	}
	if len(b.min) > maxBound {
		b.min, b.minIsExact = b.min[:cutAt(b.min, maxBound)], false
	}
	if len(b.max) > maxBound {
		b.max, b.maxIsExact = above(b.max[:cutAt(b.max, maxBound)]), false
		return b, b.max != nil
	}
	return b, true
}

// cutAt returns where to cut a string to at most n bytes, at the boundary of a UTF-8 character.
func cutAt(s []byte, n int) int {
	for at := n; at > n-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	return n
}

// above returns a string greater than all strings that begin with s, or nil if that is impossible.
// It is UTF-8 if s is.
func above(s []byte) []byte {
	for end := len(s); end > 0; {
		r, size := utf8.DecodeLastRune(s[:end])
		end -= size
		switch {
		case r == utf8.RuneError && size == 1:
			if s[end] < 0xff {
				return append(append([]byte(nil), s[:end]...), s[end]+1)
			}
		case r == 0xd7ff: // surrogates follow
			return utf8.AppendRune(append([]byte(nil), s[:end]...), 0xe000)
		case r < utf8.MaxRune:
			return utf8.AppendRune(append([]byte(nil), s[:end]...), r+1)
		}
	}
	return nil
}

// writeStatistics writes the Statistics of a chunk.
func (w *chunkWriter) writeStatistics(t *thriftWriter) {
	t.beginStruct(12)
	t.i64(3, w.nulls)
	if b, ok := w.all.bounds(w.column); ok {
		t.string(5, string(b.max))
		t.string(6, string(b.min))
		t.bool(7, b.maxIsExact)
		t.bool(8, b.minIsExact)
	}
	t.close()
}
