package parquet

import "math/bits"

func keyValueList(keys, values []string) []byte {
	t := thriftWriter{buf: listHead(len(keys))}
	for i, key := range keys {
		t.open()
		t.string(1, key)
		t.string(2, values[i])
		t.close()
	}
	return t.buf
}

// listHead returns the header of a list of structs that is not inside a struct.
func listHead(n int) []byte {
	var t thriftWriter
	t.open()
	t.list(1, thriftStruct, n)
	return t.buf[1:]
}

// typedSchema returns the list of SchemaElement for columns of these types.
func typedSchema(types []Type) []byte {
	var t thriftWriter
	t.open()
	t.string(4, "schema")
	t.i32(5, int32(len(types)))
	t.close()
	n := 1
	for _, c := range types {
		n += t.node(c)
	}
	return append(listHead(n), t.buf...)
}

// node writes the elements of a node and everything below it, lists and maps as in LogicalTypes.md.
// It returns their number.
func (t *thriftWriter) node(c Type) (n int) {
	r := required
	if c.Nullable {
		r = optional
	}
	switch c.Kind {
	case StructKind:
		t.group(c.Name, r, 0, len(c.Children))
	case ListKind:
		t.group(c.Name, r, convertedList, 1)
		t.group("list", repeated, 0, 1)
	case MapKind:
		t.group(c.Name, r, convertedMap, 1)
		t.group("key_value", repeated, 0, 2)
	default:
		t.leaf(c, r)
	}
	n = 1
	if c.Kind == ListKind || c.Kind == MapKind {
		n = 2
	}
	for i, child := range c.Children {
		switch {
		case c.Kind == ListKind:
			child.Name = "element"
		case c.Kind == MapKind && i == 0:
			child.Name, child.Nullable = "key", false
		case c.Kind == MapKind:
			child.Name = "value"
		}
		n += t.node(child)
	}
	return n
}

const convertedMap, convertedList = 1, 3

// group writes the element of a group.
func (t *thriftWriter) group(name string, r repetition, converted int32, children int) {
	t.open()
	t.i32(3, int32(r))
	t.string(4, name)
	t.i32(5, int32(children))
	if converted > 0 {
		t.i32(6, converted)
		t.beginStruct(10)
		if converted == convertedMap {
			t.beginStruct(2)
		} else {
			t.beginStruct(3)
		}
		t.close()
		t.close()
	}
	t.close()
}

// leaf writes the element of a column.
func (t *thriftWriter) leaf(c Type, r repetition) {
	a := annotationOf(c)
	t.open()
	t.i32(1, int32(physicalOf(c)))
	if c.Kind == FixedBytesKind || c.Kind == UUIDKind || c.Kind == DecimalKind || c.Kind == FloatKind && c.Width == 2 {
		t.i32(2, int32(c.Width))
	}
	t.i32(3, int32(r))
	t.string(4, c.Name)
	if a.converted >= 0 {
		t.i32(6, a.converted)
	}
	if c.Kind == DecimalKind {
		t.i32(7, int32(c.Scale))
		t.i32(8, int32(c.Precision))
	}
	if a.logicalID > 0 {
		t.beginStruct(10)
		t.beginStruct(a.logicalID)
		t.logical(c)
		t.close()
		t.close()
	}
	t.close()
}

func physicalOf(c Type) physical {
	switch c.Kind {
	case BoolKind:
		return boolean
	case DateKind:
		return int32s
	case TimestampKind:
		return int64s
	case OldTimeKind:
		return int96
	case IntKind, TimeKind:
		if c.Width == 4 {
			return int32s
		}
		return int64s
	case FloatKind:
		switch c.Width {
		case 4:
			return float
		case 8:
			return double
		}
		return fixedLenByteArray
	case DecimalKind, FixedBytesKind, UUIDKind:
		return fixedLenByteArray
	}
	return byteArray
}

// annotationOf returns the converted and the logical type.
func annotationOf(c Type) annotation {
	a := annotation{converted: -1}
	perUnit := map[int64]int32{1e3: 0, 1e6: 1}
	unit, isOld := perUnit[c.Unit] // nanoseconds were added later
	switch c.Kind {
	case IntKind:
		if c.Bits == 0 { // all bits
			break
		}
		size := int32(bits.TrailingZeros(uint(c.Bits))) - 3 // 8 bits are 0, 16 are 1, …
		if a.logicalID, a.converted = 10, 15+size; c.Unsigned {
			a.converted = 11 + size
		}
	case FloatKind:
		if c.Width == 2 {
			a.logicalID = 15
		}
	case DecimalKind:
		a.logicalID, a.converted = 5, 5
	case DateKind:
		a.logicalID, a.converted = 6, 6
	case TimeKind:
		if a.logicalID = 7; isOld {
			a.converted = 7 + unit
		}
	case TimestampKind:
		if a.logicalID = 8; isOld && !c.Local { // the old types are always in UTC
			a.converted = 9 + unit
		}
	case TextKind:
		a.logicalID, a.converted = 1, 0
	case JSONKind:
		a.logicalID, a.converted = 12, 19
	case UUIDKind:
		a.logicalID = 14
	}
	return a
}

// logical writes the fields of a member of LogicalType.
func (w *thriftWriter) logical(c Type) {
	switch c.Kind {
	case IntKind:
		w.field(1, thriftI8)
		w.buf = append(w.buf, byte(c.Bits))
		w.bool(2, !c.Unsigned)
	case DecimalKind:
		w.i32(1, int32(c.Scale))
		w.i32(2, int32(c.Precision))
	case TimeKind, TimestampKind:
		w.bool(1, !c.Local)
		w.beginStruct(2)
		w.beginStruct(map[int64]int16{1e3: 1, 1e6: 2, 1e9: 3}[c.Unit])
		w.close()
		w.close()
	}
}
