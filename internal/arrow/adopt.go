package arrow

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
)

// adopt gives fields what the Arrow schema in a Parquet file knows of them and Parquet does not:
// zones, durations, large strings, extensions. Fields that do not fit the columns, or are of types
// that are not known here, stay what they are.
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

// mostPatched bounds the work on a schema whose fields are read one by one, in bytes.
const mostPatched = 1 << 30

// eachField reads the fields at the top of a schema of which some are of types that are not known
// here: these are left out. A field alone is a schema of that one.
func eachField(message []byte) (known []arrow.Field) {
	defer func() { _ = recover() }() // it is damaged, and what was found before is known all the same
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
	vector := schema.Bytes[start-4:] // its length, and where each of them is from there
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

// adoptFields goes by names, unless two are the same.
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

// adoptType returns the known type if values of t can be stored as such, or as much of it as fits.
func adoptType(t, known arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow.Int64Type:
		if known.ID() == arrow.DURATION {
			return known
		}
	case *arrow.TimestampType:
		if k, is := known.(*arrow.TimestampType); is && k.Unit == t.Unit && (k.TimeZone == "") == (t.TimeZone == "") {
			return known
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

func adoptList(t *arrow.ListType, known arrow.DataType) arrow.DataType {
	switch k := known.(type) {
	case *arrow.ListType:
		return arrow.ListOfField(adoptField(t.ElemField(), k.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(adoptField(t.ElemField(), k.ElemField()))
	}
	return t
}
