package arrow

import (
	"bytes"
	"encoding/base64"
	"math/big"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// Conversion of Arrow types to Parquet types.

// parquetTypeOf returns the Parquet type that preserves the values of a field and their meaning.
func parquetTypeOf(name string, f arrow.Field) parquet.Type {
	p := parquetType(name, f.Type)
	switch extension := extensionIn(f); {
	case extension == uuidExtension && p.Kind == parquet.FixedBytesKind && p.Width == 16:
		p.Kind = parquet.UUIDKind
	case extension == jsonExtension && p.Kind == parquet.TextKind && isFlat(f.Type):
		p.Kind = parquet.JSONKind
	}
	return p
}

// parquetType returns the Parquet type that preserves the values of t, or text if there is none.
func parquetType(name string, t arrow.DataType) parquet.Type {
	p := parquet.Type{Name: name, Nullable: true, Kind: parquet.TextKind}
	l := layoutOf(t)
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return parquetType(name, t.ValueType)
	case *arrow.RunEndEncodedType:
		return parquetType(name, t.Encoded())
	case *arrow.MapType:
		nest(&p, parquet.MapKind, t, []string{"key", "value"})
		// no reader supports such keys
		if p.Kind == parquet.MapKind && p.Children[0].Children != nil {
			p.Kind, p.Children = parquet.TextKind, nil
		}
	case arrow.ListLikeType:
		nest(&p, parquet.ListKind, t, []string{"element"})
	case *arrow.StructType:
		var names []string
		for _, f := range t.Fields() {
			names = append(names, f.Name)
		}
		nest(&p, parquet.StructKind, t, names)
	case *arrow.BooleanType:
		p.Kind = parquet.BoolKind
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.DurationType:
		p.Kind, p.Bits, p.Width = parquet.IntKind, 8*l.width, max(4, l.width)
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		p.Kind, p.Bits, p.Width, p.Unsigned = parquet.IntKind, 8*l.width, max(4, l.width), true
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		p.Kind, p.Width = parquet.FloatKind, l.width
	case arrow.DecimalType:
		if t.GetScale() >= 0 && t.GetScale() <= t.GetPrecision() {
			p.Kind, p.Width, p.BigEndian = parquet.DecimalKind, widthOfDecimal(t.GetPrecision()), true
			p.Precision, p.Scale = int(t.GetPrecision()), int(t.GetScale())
		}
	case *arrow.Date32Type, *arrow.Date64Type:
		p.Kind, p.Width = parquet.DateKind, 4
	case *arrow.Time32Type:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimeKind, 4, 1e3, true
	case *arrow.Time64Type:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimeKind, 8, unitsOf(t.Unit), true
	case *arrow.TimestampType:
		p.Kind, p.Width, p.Unit, p.Local = parquet.TimestampKind, 8, max(1e3, unitsOf(t.Unit)), t.TimeZone == ""
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		p.Kind = parquet.BytesKind
	case *arrow.FixedSizeBinaryType:
		if p.Kind = parquet.BytesKind; l.width > 0 {
			p.Kind, p.Width = parquet.FixedBytesKind, l.width
		}
	}
	return p
}

// widthOfDecimal is the least number of bytes for all decimal numbers of a precision, which is what
// other writers take, and the only one that some readers accept.
func widthOfDecimal(precision int32) int {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return most.Sub(most, big.NewInt(1)).BitLen()/8 + 1 // with a bit for the sign
}

// nest turns p into a nested type. An empty struct stays text, since Parquet has no empty group.
func nest(p *parquet.Type, kind parquet.Kind, t arrow.DataType, names []string) {
	if len(names) == 0 {
		return
	}
	p.Kind = kind
	for i, child := range nestedFields(t) {
		p.Children = append(p.Children, parquetTypeOf(names[i], child))
	}
}

// parquetMetadata returns the metadata of the schema, without what they say of columns that have
// become JSON.
func parquetMetadata(s *arrow.Schema, types []parquet.Type) (keys, values []string) {
	var become []string
	for i, f := range s.Fields() {
		if hasJSON(types[i], f.Type) {
			become = append(become, f.Name)
		}
	}
	metadata := s.Metadata()
	keys, values = slices.Clone(metadata.Keys()), slices.Clone(metadata.Values())
	if at := metadata.FindKey(columnar.FeaturesKey); at >= 0 {
		values[at] = columnar.WithoutFeatures(values[at], become)
	}
	kept := arrow.NewMetadata(keys, values)
	if encoded := encodeSchema(s, types, &kept); encoded != "" {
		keys, values = append(keys, schemaKey), append(values, encoded)
	}
	return keys, values
}

// encodeSchema returns the Arrow schema as readers of Parquet look for it: it says what the types
// of Parquet cannot, such as time zones, durations and the lengths of lists (adopt). Of columns
// that have become JSON it says nothing. pyarrow takes the metadata of the file from there, too. It
// is empty if the schema cannot be encoded.
func encodeSchema(s *arrow.Schema, types []parquet.Type, metadata *arrow.Metadata) string {
	fields := slices.Clone(s.Fields())
	for i, f := range fields {
		if hasJSON(types[i], f.Type) {
			fields[i] = arrow.Field{Name: f.Name, Type: arrow.BinaryTypes.String, Nullable: true}
		}
	}
	return encodeFields(fields, metadata)
}

// encodeFields returns a schema as readers of Parquet look for it, or nothing if it cannot be
// encoded.
func encodeFields(fields []arrow.Field, metadata *arrow.Metadata) string {
	var message bytes.Buffer
	w := ipc.NewWriter(&message, ipc.WithSchema(arrow.NewSchema(fields, metadata)))
	if err := w.Close(); err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(message.Bytes())
}

// hasJSON reports whether a part of an Arrow type becomes JSON in a Parquet type.
func hasJSON(p parquet.Type, t arrow.DataType) bool {
	if p.Kind == parquet.TextKind {
		return !isFlat(t)
	}
	for i, child := range nestedFields(t) {
		if i < len(p.Children) && hasJSON(p.Children[i], child.Type) {
			return true
		}
	}
	return false
}

// nestedFields returns the fields of a struct, the element of a list, or the key and the value of a
// map.
func nestedFields(t arrow.DataType) []arrow.Field {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return nestedFields(t.ValueType)
	case *arrow.RunEndEncodedType:
		return nestedFields(t.Encoded())
	case *arrow.MapType:
		return []arrow.Field{t.KeyField(), t.ItemField()}
	case arrow.ListLikeType:
		return []arrow.Field{t.ElemField()}
	case *arrow.StructType:
		return t.Fields()
	}
	return nil
}

// isFlat reports whether the values of a type are bytes or strings.
func isFlat(t arrow.DataType) bool {
	switch t := storage(t).(type) {
	case *arrow.DictionaryType:
		return isFlat(t.ValueType)
	case *arrow.RunEndEncodedType:
		return isFlat(t.Encoded())
	}
	l := layoutOf(t)
	return l.kind == binaries || l.kind == views || l.kind == nulls
}
