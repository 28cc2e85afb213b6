package parquet

import "slices"

// A Kind says what the values of a node are, for conversions to other formats.
type Kind uint8

const (
	BoolKind  Kind = iota // one byte, 0 or 1
	IntKind               // of Width bytes, with Bits significant bits, or all if Bits is 0
	FloatKind             // of Width bytes: 2, 4 or 8
	// an integer: little-endian of 4 or 8 bytes, or big-endian of any length
	DecimalKind
	DateKind       // 4 bytes, days since 1970
	TimeKind       // an integer, units since midnight
	TimestampKind  // 8 bytes, units since 1970
	OldTimeKind    // INT96: nanoseconds of a day, and its Julian day number
	TextKind       // UTF-8
	JSONKind       // UTF-8 that is valid JSON
	BytesKind      // of any length
	FixedBytesKind // of Width bytes
	UUIDKind       // 16 bytes
	StructKind
	ListKind // with one child
	MapKind  // with two children, keys and values
)

// A Type describes a node of a schema. Only structs, lists and maps have Children.
type Type struct {
	Name     string
	Nullable bool
	Kind     Kind
	Children []Type

	Width, Bits      int
	Unsigned         bool
	BigEndian        bool // of a decimal
	Precision, Scale int
	Unit             int64 // of times: units in a second
	Local            bool  // a timestamp not adjusted to UTC
	IsNull           bool  // all values are null
}

// Types returns the types of the top-level columns.
func (s *Schema) Types() []Type {
	types := make([]Type, len(s.root.children))
	for i, n := range s.root.children {
		types[i] = n.typeOf()
	}
	return types
}

func (n *node) typeOf() Type {
	if n.repetition == repeated { // a list without a group around it
		return Type{Name: n.name, Kind: ListKind, Children: []Type{n.elementType()}}
	}
	return n.elementType()
}

// elementType returns the type of one value of a node.
func (n *node) elementType() Type {
	t := Type{Name: n.name, Nullable: n.repetition == optional}
	switch {
	case n.leaf != nil:
		n.leaf.describeIn(&t)
		t.IsNull = n.isNull()
		return t
	case n.meaning() == list:
		middle, element := n.children[0], n.element()
		t.Kind = ListKind
		if element == middle {
			t.Children = []Type{element.elementType()}
		} else {
			t.Children = []Type{element.typeOf()}
		}
		return t
	case n.meaning() == mapping && len(n.children[0].children) == 2:
		t.Kind = MapKind
		n = n.children[0]
	case n.meaning() == mapping: // a map with keys alone, or with more than values
		t.Kind = ListKind
		t.Children = []Type{n.children[0].elementType()}
		return t
	default:
		t.Kind = StructKind
	}
	for _, child := range n.children {
		t.Children = append(t.Children, child.typeOf())
	}
	return t
}

// describeIn sets the fields of t that describe a leaf.
func (c *column) describeIn(t *Type) {
	a := &c.annotation
	t.Width = c.width
	switch c.physical {
	case boolean:
		t.Kind = BoolKind
	case int96:
		t.Kind = OldTimeKind
	case float, double:
		t.Kind = FloatKind
	case int32s, int64s:
		t.Kind, t.Bits, t.Unsigned = IntKind, 8*c.width, a.meaning == unsignedInt
		if a.converted >= 11 && a.converted <= 18 { // UINT_8 to UINT_64, INT_8 to INT_64
			t.Bits = min(t.Bits, 8<<((a.converted-11)%4))
		}
	default:
		t.Kind = BytesKind
		if c.physical == fixedLenByteArray {
			t.Kind = FixedBytesKind
		}
		t.BigEndian = true
	}
	isInteger := t.Kind == IntKind
	switch {
	case a.isJSON() && c.physical == byteArray:
		t.Kind = JSONKind
	case a.meaning == text && c.physical == byteArray:
		t.Kind = TextKind
	case a.meaning == uuid && c.physical == fixedLenByteArray && c.width == 16:
		t.Kind = UUIDKind
	case a.meaning == float16 && c.width == 2:
		t.Kind = FloatKind
	case a.meaning == decimal && a.scale >= 0 && a.precision > 0 && a.precision <= 76 && c.physical != int96 &&
		!slices.Contains([]Kind{BoolKind, FloatKind}, t.Kind):
		t.Kind, t.Precision, t.Scale = DecimalKind, int(a.precision), int(a.scale)
	case a.meaning == date && c.physical == int32s:
		t.Kind = DateKind
	case a.meaning == timeOfDay && isInteger && a.unit > 0:
		t.Kind, t.Unit = TimeKind, a.unit
	case a.meaning == timestamp && c.physical == int64s && a.unit > 0:
		t.Kind, t.Unit, t.Local = TimestampKind, a.unit, a.local
	}
}

// Metadata returns the keys and values of the file's metadata, in order.
func (f *File) Metadata() (keys, values []string) {
	if f.footer.keyValues == nil {
		return nil, nil
	}
	r := &thriftReader{buf: f.footer.keyValues}
	_, n := r.list()
	for range n {
		var key, value string
		for fs := r.fields(); fs.next(); {
			switch fs.id {
			case 1:
				key = string(fs.bytes())
			case 2:
				value = string(fs.bytes())
			default:
				fs.skip()
			}
		}
		if r.err != nil {
			break
		}
		keys, values = append(keys, key), append(values, value)
	}
	return keys, values
}
