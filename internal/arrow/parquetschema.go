package arrow

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/parquet"
)

// schemaKey is the metadata key under which Arrow stores its schema in a Parquet file.
const schemaKey = parquet.ArrowKey

// schemaOf returns the Arrow schema for rows of Parquet.
func schemaOf(f *parquet.File) *arrow.Schema {
	var keys, values []string
	allKeys, allValues := f.Metadata()
	fields := fieldsOf(f.Schema().Types())
	for i, key := range allKeys {
		if key == schemaKey {
			fields = adopt(fields, allValues[i])
			continue
		}
		keys, values = append(keys, key), append(values, allValues[i])
	}
	metadata := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &metadata)
}

func fieldsOf(types []parquet.Type) []arrow.Field {
	fields := make([]arrow.Field, len(types))
	for i, t := range types {
		fields[i] = arrow.Field{Name: t.Name, Type: typeOf(t), Nullable: t.Nullable, Metadata: extensionOf(t)}
	}
	return fields
}

// Metadata keys of extension types, and the extensions that other programs know.
const (
	extensionKey, extensionParameters = "ARROW:extension:name", "ARROW:extension:metadata"
	uuidExtension, jsonExtension      = "arrow.uuid", "arrow.json"
)

// extensionOf returns the metadata of a field whose type is an extension in Arrow.
func extensionOf(t parquet.Type) arrow.Metadata {
	name := map[parquet.Kind]string{parquet.UUIDKind: uuidExtension, parquet.JSONKind: jsonExtension}[t.Kind]
	if name == "" {
		return arrow.Metadata{}
	}
	return metadataOf(name)
}

// metadataOf returns the metadata of an extension without parameters.
func metadataOf(extension string) arrow.Metadata {
	return arrow.NewMetadata([]string{extensionKey, extensionParameters}, []string{extension, ""})
}

// extensionIn returns the name of a field's extension, or "".
func extensionIn(f arrow.Field) string {
	if e, is := f.Type.(arrow.ExtensionType); is {
		return e.ExtensionName()
	}
	name, _ := f.Metadata.GetValue(extensionKey)
	return name
}

// typeOf returns the Arrow type for values of a Parquet type.
func typeOf(t parquet.Type) arrow.DataType {
	switch t.Kind {
	case parquet.BoolKind:
		return arrow.FixedWidthTypes.Boolean
	case parquet.IntKind:
		return integerOf(t)
	case parquet.FloatKind:
		return map[int]arrow.DataType{
			2: arrow.FixedWidthTypes.Float16, 4: arrow.PrimitiveTypes.Float32, 8: arrow.PrimitiveTypes.Float64,
		}[t.Width]
	case parquet.DecimalKind:
		if t.Precision <= 38 {
			return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
		}
		return &arrow.Decimal256Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}
	case parquet.DateKind:
		return arrow.FixedWidthTypes.Date32
	case parquet.TimeKind:
		if t.Width == 4 {
			return &arrow.Time32Type{Unit: unitOf(t.Unit)}
		}
		return &arrow.Time64Type{Unit: unitOf(t.Unit)}
	case parquet.TimestampKind:
		zone := "UTC"
		if t.Local {
			zone = ""
		}
		return &arrow.TimestampType{Unit: unitOf(t.Unit), TimeZone: zone}
	case parquet.OldTimeKind:
		return &arrow.TimestampType{Unit: arrow.Nanosecond}
	case parquet.TextKind, parquet.JSONKind:
		return arrow.BinaryTypes.String
	case parquet.FixedBytesKind, parquet.UUIDKind:
		return &arrow.FixedSizeBinaryType{ByteWidth: t.Width}
	case parquet.StructKind:
		return arrow.StructOf(fieldsOf(t.Children)...)
	case parquet.ListKind:
		return arrow.ListOfField(fieldsOf(t.Children)[0])
	case parquet.MapKind:
		fields := fieldsOf(t.Children)
		fields[0].Nullable = false
		return arrow.MapOfFields(fields[0], fields[1])
	}
	return arrow.BinaryTypes.Binary
}

func integerOf(t parquet.Type) arrow.DataType {
	p := &arrow.PrimitiveTypes
	if t.Unsigned {
		return map[int]arrow.DataType{8: p.Uint8, 16: p.Uint16, 32: p.Uint32, 64: p.Uint64}[t.Bits]
	}
	return map[int]arrow.DataType{8: p.Int8, 16: p.Int16, 32: p.Int32, 64: p.Int64}[t.Bits]
}

func unitOf(inSecond int64) arrow.TimeUnit {
	switch inSecond {
	case 1e3:
		return arrow.Millisecond
	case 1e6:
		return arrow.Microsecond
	}
	return arrow.Nanosecond
}
