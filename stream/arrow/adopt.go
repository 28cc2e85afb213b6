package arrow

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow-go/v18/arrow"
)

// adopt gives fields what the Arrow schema in a Parquet file knows of them and Parquet does not:
// zones, durations, large strings, extensions. Where that does not fit the columns, or cannot be
// read, they stay what they are.
func adopt(fields []arrow.Field, encoded string) []arrow.Field {
	message, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return fields
	}
	in, err := newReader(bytes.NewReader(message), newLimits(0))
	if err != nil {
		return fields
	}
	return adoptFields(fields, in.Schema().Fields())
}

func adoptFields(fields, known []arrow.Field) []arrow.Field {
	if len(fields) != len(known) {
		return fields
	}
	adopted := make([]arrow.Field, len(fields))
	for i, f := range fields {
		if f.Name == known[i].Name {
			f = adoptField(f, known[i])
		}
		adopted[i] = f
	}
	return adopted
}

func adoptField(f, known arrow.Field) arrow.Field {
	f.Metadata, f.Type = known.Metadata, adoptType(f.Type, known.Type)
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
