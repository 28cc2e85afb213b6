package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of Thrift's compact protocol, which encodes footers and page headers
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI8     = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth is far deeper than the format nests.
const maxThriftDepth = 32

// errCutShort is returned if the bytes end within a value.
var errCutShort = errors.New("it is cut off")

// A thriftReader reads values from the front of buf. After the first error it returns zeros.
type thriftReader struct {
	buf []byte
	pos int
	err error
}

func (r *thriftReader) fail(err error) {
	if r.err == nil {
		r.err = err
		r.pos = len(r.buf)
	}
}

func (r *thriftReader) byte() byte {
	if r.pos >= len(r.buf) {
		r.fail(errCutShort)
		return 0
	}
	r.pos++
	return r.buf[r.pos-1]
}

func (r *thriftReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.buf[r.pos:])
	switch {
	case n == 0:
		r.fail(errCutShort)
		return 0
	case n < 0:
		r.fail(errors.New("a number is too long"))
		return 0
	}
	r.pos += n
	return v
}

func (r *thriftReader) varint() int64 {
	u := r.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// bytes returns a string or binary value, which aliases buf.
func (r *thriftReader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.buf)-r.pos) {
		r.fail(errCutShort)
		return nil
	}
	r.pos += int(n)
	return r.buf[r.pos-int(n) : r.pos]
}

// list returns the type and the number of the following elements. Each of them takes at least a
// byte.
func (r *thriftReader) list() (typ byte, n int) {
	head := r.byte()
	size := uint64(head >> 4)
	if size == 15 {
		size = r.uvarint()
	}
	if size > uint64(len(r.buf)-r.pos) {
		r.fail(errCutShort)
		return 0, 0
	}
	return head & 15, int(size)
}

// fields iterates over the fields of a struct.
type fields struct {
	r   *thriftReader
	id  int16
	typ byte
}

func (r *thriftReader) fields() fields { return fields{r: r} }

// next moves to the next field, whose value must then be read or skipped. It returns false after
// the last one.
func (f *fields) next() bool {
	head := f.r.byte()
	if head == 0 || f.r.err != nil {
		return false
	}
	if delta := head >> 4; delta > 0 {
		f.id += int16(delta)
	} else {
		f.id = int16(f.r.varint())
	}
	f.typ = head & 15
	return true
}

// expect fails unless the current value has a type.
func (f *fields) expect(typ byte) bool {
	if f.typ != typ {
		f.r.fail(fmt.Errorf("field %d is of type %d instead of %d", f.id, f.typ, typ))
		return false
	}
	return true
}

func (f *fields) skip() { f.r.skip(f.typ, 0) }

func (f *fields) bool() bool {
	if f.typ != thriftFalse && !f.expect(thriftTrue) {
		return false
	}
	return f.typ == thriftTrue
}

func (f *fields) i32() int32 {
	if f.typ == thriftI16 { // some writers use a narrower type than defined
		return int32(f.r.varint())
	}
	if !f.expect(thriftI32) {
		return 0
	}
	v := f.r.varint()
	if v != int64(int32(v)) {
		f.r.fail(fmt.Errorf("field %d has %d, which 32 bits do not hold", f.id, v))
	}
	return int32(v)
}

func (f *fields) i64() int64 {
	if f.typ != thriftI64 && !f.expect(thriftI32) {
		return 0
	}
	return f.r.varint()
}

func (f *fields) bytes() []byte {
	if !f.expect(thriftBinary) {
		return nil
	}
	return f.r.bytes()
}

// list returns the number of elements, which must all have the type.
func (f *fields) list(typ byte) int {
	if !f.expect(thriftList) {
		return 0
	}
	got, n := f.r.list()
	if n > 0 && got != typ {
		f.r.fail(fmt.Errorf("field %d is a list of type %d instead of %d", f.id, got, typ))
		return 0
	}
	return n
}

// structField returns the fields of a field that is a struct.
func (f *fields) structField() fields {
	f.expect(thriftStruct)
	return f.r.fields()
}

// raw skips the value and returns its bytes.
func (f *fields) raw() []byte {
	start := f.r.pos
	f.skip()
	if f.r.err != nil {
		return nil
	}
	return f.r.buf[start:f.r.pos]
}

// skip skips the value of a field.
func (r *thriftReader) skip(typ byte, depth int) {
	if depth > maxThriftDepth {
		r.fail(errors.New("it is nested too deeply"))
		return
	}
	switch typ {
	case thriftTrue, thriftFalse:
	case thriftI8:
		r.byte()
	case thriftI16, thriftI32, thriftI64:
		r.uvarint()
	case thriftDouble:
		if len(r.buf)-r.pos < 8 {
			r.fail(errCutShort)
			return
		}
		r.pos += 8
	case thriftBinary:
		r.bytes()
	case thriftList, thriftSet:
		element, n := r.list()
		for i := 0; i < n && r.err == nil; i++ {
			r.skipElement(element, depth)
		}
	case thriftMap:
		r.skipMap(depth)
	case thriftStruct:
		for f := r.fields(); f.next(); {
			r.skip(f.typ, depth+1)
		}
	default:
		r.fail(fmt.Errorf("type %d is not known", typ))
	}
}

func (r *thriftReader) skipMap(depth int) {
	n := r.uvarint()
	if n == 0 {
		return
	}
	types := r.byte()
	for i := uint64(0); i < n && r.err == nil; i++ {
		r.skipElement(types>>4, depth)
		r.skipElement(types&15, depth)
	}
}

// skipElement skips an element of a list or a map, where a Boolean takes a byte.
func (r *thriftReader) skipElement(typ byte, depth int) {
	if typ == thriftTrue || typ == thriftFalse {
		r.byte()
		return
	}
	r.skip(typ, depth+1)
}

// A thriftWriter appends the fields of one struct after the other, in ascending order of their ids.
type thriftWriter struct {
	buf  []byte
	last []int16 // the last field of each open struct
}

func (w *thriftWriter) open() { w.last = append(w.last, 0) }

func (w *thriftWriter) close() {
	w.buf = append(w.buf, 0)
	w.last = w.last[:len(w.last)-1]
}

func (w *thriftWriter) field(id int16, typ byte) {
	last := &w.last[len(w.last)-1]
	if delta := id - *last; delta > 0 && delta < 16 {
		w.buf = append(w.buf, byte(delta)<<4|typ)
	} else {
		w.buf = append(w.buf, typ)
		w.varint(int64(id))
	}
	*last = id
}

func (w *thriftWriter) varint(v int64) {
	w.buf = binary.AppendUvarint(w.buf, uint64(v<<1)^uint64(v>>63))
}

func (w *thriftWriter) i32(id int16, v int32) {
	w.field(id, thriftI32)
	w.varint(int64(v))
}

func (w *thriftWriter) i64(id int16, v int64) {
	w.field(id, thriftI64)
	w.varint(v)
}

func (w *thriftWriter) string(id int16, s string) {
	w.field(id, thriftBinary)
	w.element(s)
}

// element writes a string in a list.
func (w *thriftWriter) element(s string) {
	w.buf = binary.AppendUvarint(w.buf, uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *thriftWriter) list(id int16, typ byte, n int) {
	w.field(id, thriftList)
	if n < 15 {
		w.buf = append(w.buf, byte(n)<<4|typ)
		return
	}
	w.buf = append(w.buf, 15<<4|typ)
	w.buf = binary.AppendUvarint(w.buf, uint64(n))
}

// beginStruct begins a field that is a struct; close ends it.
func (w *thriftWriter) beginStruct(id int16) {
	w.field(id, thriftStruct)
	w.open()
}

// bool writes a Boolean field, whose type contains its value.
func (w *thriftWriter) bool(id int16, value bool) {
	typ := byte(thriftFalse)
	if value {
		typ = thriftTrue
	}
	w.field(id, typ)
}

// element8 writes a Boolean in a list.
func (w *thriftWriter) element8(value bool) {
	b := byte(thriftFalse)
	if value {
		b = thriftTrue
	}
	w.buf = append(w.buf, b)
}

// raw writes a value as it was read.
func (w *thriftWriter) raw(id int16, typ byte, value []byte) {
	w.field(id, typ)
	w.buf = append(w.buf, value...)
}
