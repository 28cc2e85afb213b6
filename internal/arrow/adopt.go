package arrow

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// adopt restores in fields what only the Arrow schema in a Parquet file says: time zones,
// durations, large strings, lists of a fixed length, extensions. Fields that do not match the
// columns, or have unknown types, stay as they are.
func adopt(fields []arrow.Field, encoded string) []arrow.Field {
	message, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fields
	}
	if in, err := newReader(bytes.NewReader(message), newLimits(0)); err == nil {
		return adoptFields(fields, in.Schema().Fields())
	}
	return adoptFields(fields, eachField(message))
}

// mostPatched bounds the work, in bytes, on a schema whose fields are read one by one.
const mostPatched = 1 << 30

// eachField reads the top-level fields of a schema that has fields of unknown types, and leaves
// these out. It reads each field as a schema of one field.
func eachField(message []byte) (known []arrow.Field) {
	defer func() { _ = recover() }() // the schema is damaged; keep what was found so far
	head := 4
	if binary.LittleEndian.Uint32(message) == continuation {
		head = 8
	}
	schema, isThere := rootOf(message[head:]).table(messageHeader)
	if !isThere {
		return nil
	}
	start, n := schema.vector(schemaFields, 4)
	if int64(n)*int64(len(message)) > mostPatched {
		return nil
	}
	vector := schema.Bytes[start-4:] // its length, and the offset of each field from there
	var places []uint32
	for i := range n {
		places = append(places, binary.LittleEndian.Uint32(vector[4+4*i:])+uint32(4*i))
	}
	binary.LittleEndian.PutUint32(vector, 1)
	for _, place := range places {
		binary.LittleEndian.PutUint32(vector[4:], place)
		if in, err := newReader(bytes.NewReader(message), newLimits(0)); err == nil {
			known = append(known, in.Schema().Fields()...)
		}
	}
	return known
}

// adoptFields matches fields by name, unless a name occurs twice.
func adoptFields(fields, known []arrow.Field) []arrow.Field {
	named := map[string]arrow.Field{}
	for _, k := range known {
		if _, again := named[k.Name]; again {
			return fields
		}
		named[k.Name] = k
	}
	adopted := make([]arrow.Field, len(fields))
	for i, f := range fields {
		if k, isKnown := named[f.Name]; isKnown {
			f = adoptField(f, k)
		}
		adopted[i] = f
	}
	return adopted
}

func adoptField(f, known arrow.Field) arrow.Field {
	f.Type = adoptType(f.Type, known.Type)
	if known.Metadata.FindKey(extensionKey) >= 0 || f.Metadata.Len() == 0 {
		f.Metadata = known.Metadata
		return f
	}
	f.Metadata = arrow.NewMetadata(append(known.Metadata.Keys(), f.Metadata.Keys()...),
		append(known.Metadata.Values(), f.Metadata.Values()...))
	return f
}

// adoptType returns the known type if values of t can be stored as such, or the part of it that
// fits.
func adoptType(t, known arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.Int64Type:
		if known.ID() == arrow.DURATION {
			return known
		}
	case *arrow.TimestampType:
		if k, is := known.(*arrow.TimestampType); is && (k.TimeZone == "") == (t.TimeZone == "") {
			return &arrow.TimestampType{Unit: t.Unit, TimeZone: k.TimeZone} // Parquet has no seconds
		}
	case *arrow.StringType:
		if known.ID() == arrow.LARGE_STRING {
			return known
		}
	case *arrow.BinaryType:
		if known.ID() == arrow.LARGE_BINARY {
			return known
		}
	case *arrow.StructType:
		if k, is := known.(*arrow.StructType); is {
			return arrow.StructOf(adoptFields(t.Fields(), k.Fields())...)
		}
	case *arrow.ListType:
		return adoptList(t, known)
	case *arrow.MapType:
		if k, is := known.(*arrow.MapType); is {
			m := arrow.MapOfFields(adoptField(t.KeyField(), k.KeyField()), adoptField(t.ItemField(), k.ItemField()))
			m.KeysSorted = k.KeysSorted
			return m
		}
	}
	return t
}

// mostElements bounds the length of lists of a fixed length, whose nulls take as much as others.
const mostElements = 1 << 16

func adoptList(t *arrow.ListType, known arrow.DataType) arrow.DataType {
	switch k := known.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(adoptField(t.ElemField(), k.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(adoptField(t.ElemField(), k.ElemField()))
	case *arrow.FixedSizeListType:
		if k.Len() > 0 && k.Len() <= mostElements {
			return arrow.FixedSizeListOfField(k.Len(), adoptField(t.ElemField(), k.ElemField()))
		}
	}
	return t
}
