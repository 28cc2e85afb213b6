package arrow

import (
	"encoding/binary"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
)

// A kind is a physical layout of values in buffers (Columnar.html, Physical Memory Layout).
type kind uint8

const (
	unknown kind = iota
	nulls
	bits
	fixed      // fixed width; also the indices of a dictionary
	binaries   // offsets, and bytes
	views      // 16 bytes each, which may refer to other buffers
	lists      // offsets into elements
	listViews  // offsets and sizes
	fixedLists // a fixed number of elements each
	structs
	sparse // unions whose members are as long as they are
	dense  // unions with offsets into their members
	runEnds
)

func (k kind) hasValidity() bool { return k != nulls && k != sparse && k != dense && k != runEnds }

// A layout is a kind with its parameters.
type layout struct {
	kind    kind
	width   int       // bytes of a value, an offset or an index; elements of a fixed-size list
	members *[128]int // of a union by type code; -1 for unused codes
}

// storage returns the storage type of an extension type, or t itself.
func storage(t arrow.DataType) arrow.DataType {
	for {
		e, isExtension := t.(arrow.ExtensionType)
		if !isExtension {
			return t
		}
		t = e.StorageType()
	}
}

func layoutOf(t arrow.DataType) layout {
	switch t := storage(t).(type) {
	case *arrow.NullType:
		return layout{kind: nulls}
	case *arrow.BooleanType:
		return layout{kind: bits}
	case *arrow.DictionaryType:
		return layoutOf(t.IndexType)
	case *arrow.StringType, *arrow.BinaryType:
		return layout{kind: binaries, width: 4}
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return layout{kind: binaries, width: 8}
	case arrow.BinaryViewDataType:
		return layout{kind: views}
	case *arrow.ListType, *arrow.MapType:
		return layout{kind: lists, width: 4}
	case *arrow.LargeListType:
		return layout{kind: lists, width: 8}
	case *arrow.ListViewType:
		return layout{kind: listViews, width: 4}
	case *arrow.LargeListViewType:
		return layout{kind: listViews, width: 8}
	case *arrow.FixedSizeListType:
		return layout{kind: fixedLists, width: int(t.Len())}
	case *arrow.StructType:
		return layout{kind: structs}
	case arrow.UnionType:
		l := layout{kind: sparse, members: new([128]int)}
		if t.Mode() == arrow.DenseMode {
			l.kind = dense
		}
		for i := range l.members {
			l.members[i] = -1
		}
		for i, code := range t.TypeCodes() {
			if code >= 0 {
				l.members[code] = i
			}
		}
		return l
	case *arrow.RunEndEncodedType:
		return layout{kind: runEnds}
	case arrow.FixedWidthDataType:
		return layout{kind: fixed, width: t.Bytes()}
	}
	return layout{}
}

// bufferOf returns a buffer of a column, empty if it is missing.
func bufferOf(d arrow.ArrayData, i int) []byte {
	if buffers := d.Buffers(); i < len(buffers) && buffers[i] != nil {
		return buffers[i].Bytes()
	}
	return nil
}

// isNull reports whether a value is null according to its own column.
func isNull(d arrow.ArrayData, i int) bool {
	if d.NullN() == 0 {
		return false
	}
	valid := bufferOf(d, 0)
	return len(valid) > 0 && valid[i>>3]>>(i&7)&1 == 0
}

// number returns integer i of a buffer. It is signed; indices and offsets of one and two bytes
// never use the sign.
func number(buf []byte, i, width int) int64 {
	switch width {
	case 1:
		return int64(int8(buf[i]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(buf[2*i:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(buf[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(buf[8*i:]))
}

// A view is a value of a column of views.
type view struct{ length, buffer, offset int32 }

// viewSize is the size of a view in its buffer, and inlineView the maximum length of a value inside
// the view.
const viewSize, inlineView = 16, 12

func viewAt(buf []byte, i int) view {
	buf = buf[viewSize*i:]
	return view{int32(binary.LittleEndian.Uint32(buf)), int32(binary.LittleEndian.Uint32(buf[8:])),
		int32(binary.LittleEndian.Uint32(buf[12:]))}
}

// bytesAt returns value i of a column of bytes or strings.
func bytesAt(d arrow.ArrayData, l layout, i int) []byte {
	switch l.kind {
	case binaries:
		offsets := bufferOf(d, 1)
		return bufferOf(d, 2)[number(offsets, i, l.width):number(offsets, i+1, l.width)]
	case views:
		views := bufferOf(d, 1)
		v := viewAt(views, i)
		if v.length <= inlineView {
			return views[viewSize*i+4:][:v.length]
		}
		return bufferOf(d, 2+int(v.buffer))[v.offset:][:v.length]
	}
	return bufferOf(d, 1)[l.width*i:][:l.width]
}

// indexAt returns index i into a dictionary: unsigned if its type is.
func indexAt(d arrow.ArrayData, i int) int {
	t := storage(d.DataType()).(*arrow.DictionaryType)
	l := layoutOf(t.IndexType)
	n := number(bufferOf(d, 1), i, l.width)
	switch t.IndexType.ID() {
	case arrow.UINT8:
		return int(uint8(n))
	case arrow.UINT16:
		return int(uint16(n))
	case arrow.UINT32:
		return int(uint32(n))
	}
	return int(n)
}

// runAt returns the run that contains value i of a run-end encoded column.
func runAt(d arrow.ArrayData, i int) int {
	ends := d.Children()[0]
	width := layoutOf(ends.DataType()).width
	buf := bufferOf(ends, 1)
	return sort.Search(ends.Len(), func(run int) bool { return number(buf, run, width) > int64(i) })
}
