package arrow

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/jsonvalue"
)

// A jsonWriter writes rows as JSON objects. Only one goroutine may use it.
type jsonWriter struct {
	schema *arrow.Schema
	texts  map[int]bool // columns named by --field, whose bytes are text
	key    []byte
	isText bool
	embeds bool // JSON is embedded even in place of a text
	// bytes of the buffer at which a row is abandoned: its values are not bounded by their columns
	maxBytes int
}

// append writes row i and a newline. It panics if the row exceeds the limit.
func (w *jsonWriter) append(dst []byte, b *Batch, i int) []byte {
	dst = append(dst, '{')
	for c, d := range b.columns {
		if c > 0 {
			dst = append(dst, ',')
		}
		w.isText = w.texts[c]
		f := w.schema.Field(c)
		dst = append(jsontext.AppendQuotedBytes(dst, []byte(f.Name)), ':')
		dst = w.field(dst, f, d, i)
	}
	return append(dst, "}\n"...)
}

// field writes a value of a field, as its extension type requires.
func (w *jsonWriter) field(dst []byte, f arrow.Field, d arrow.ArrayData, i int) []byte {
	t := storage(f.Type)
	l := layoutOf(t)
	switch extension := extensionIn(f); {
	case extension == "" || !l.kind.hasValidity() || isNull(d, i):
	case extension == uuidExtension && t.ID() == arrow.FIXED_SIZE_BINARY && l.width == 16:
		return jsonvalue.AppendUUID(dst, bytesAt(d, l, i))
	case isJSON(f) && (!w.isText || w.embeds):
		return jsontext.AppendEmbedded(dst, bytesAt(d, l, i))
	}
	return w.value(dst, d, i)
}

func (w *jsonWriter) value(dst []byte, d arrow.ArrayData, i int) []byte {
	if len(dst) > w.maxBytes {
		panic(errLongRow)
	}
	t := storage(d.DataType())
	l := layoutOf(t)
	if l.kind == nulls || l.kind.hasValidity() && isNull(d, i) {
		return append(dst, "null"...)
	}
	if t.ID() == arrow.DICTIONARY {
		return w.value(dst, d.Dictionary(), indexAt(d, i))
	}
	switch l.kind {
	case runEnds:
		return w.value(dst, d.Children()[1], runAt(d, i))
	case sparse:
		return w.value(dst, d.Children()[l.members[bufferOf(d, 1)[i]]], i)
	case dense:
		at := int(number(bufferOf(d, 2), i, 4))
		return w.value(dst, d.Children()[l.members[bufferOf(d, 1)[i]]], at)
	case structs:
		return w.object(dst, t.(*arrow.StructType), d, i)
	case lists, listViews, fixedLists:
		from, to := elementsAt(d, l, i)
		if t.ID() == arrow.MAP {
			return w.mapping(dst, t.(*arrow.MapType), d.Children()[0], from, to)
		}
		return w.list(dst, t.(arrow.ListLikeType).ElemField(), d.Children()[0], from, to)
	case bits:
		return strconv.AppendBool(dst, bufferOf(d, 1)[i>>3]>>(i&7)&1 != 0)
	case binaries, views:
		value := bytesAt(d, l, i)
		if len(value) > w.maxBytes-len(dst) {
			panic(errLongRow)
		}
		if w.isText || t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW {
			return jsontext.AppendQuotedBytes(dst, value)
		}
		return appendBase64(dst, value)
	}
	return appendFixed(dst, t, bytesAt(d, l, i))
}

func (w *jsonWriter) object(dst []byte, t *arrow.StructType, d arrow.ArrayData, i int) []byte {
	dst = append(dst, '{')
	for c, child := range d.Children() {
		if c > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendQuotedBytes(dst, []byte(t.Field(c).Name)), ':')
		dst = w.field(dst, t.Field(c), child, i)
	}
	return append(dst, '}')
}

func (w *jsonWriter) list(dst []byte, f arrow.Field, d arrow.ArrayData, from, to int) []byte {
	dst = append(dst, '[')
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		dst = w.field(dst, f, d, i)
	}
	return append(dst, ']')
}

// mapping writes an object. Keys that are not text are converted to text.
func (w *jsonWriter) mapping(dst []byte, t *arrow.MapType, entries arrow.ArrayData, from, to int) []byte {
	dst = append(dst, '{')
	for i := from; i < to; i++ {
		if i > from {
			dst = append(dst, ',')
		}
		start := len(dst)
		dst = w.field(dst, t.KeyField(), entries.Children()[0], i)
		if dst[start] != '"' {
			w.key = append(w.key[:0], dst[start:]...)
			dst = jsontext.AppendQuotedBytes(dst[:start], w.key)
		}
		dst = append(dst, ':')
		dst = w.field(dst, t.ItemField(), entries.Children()[1], i)
	}
	return append(dst, '}')
}

func appendBase64(dst, value []byte) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, value)
	return append(dst, '"')
}

// appendFixed writes a value of fixed width.
func appendFixed(dst []byte, t arrow.DataType, value []byte) []byte {
	switch t := t.(type) {
	case *arrow.Float16Type:
		return jsonvalue.AppendFloat(dst, jsonvalue.HalfFloat(binary.LittleEndian.Uint16(value)), 64)
	case *arrow.Float32Type:
		return jsonvalue.AppendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(value))), 32)
	case *arrow.Float64Type:
		return jsonvalue.AppendFloat(dst, math.Float64frombits(binary.LittleEndian.Uint64(value)), 64)
	case arrow.DecimalType:
		return jsonvalue.AppendDecimal(dst, unscaled(value), int(t.GetScale()))
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		return strconv.AppendUint(dst, unsigned(value), 10)
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type, *arrow.DurationType:
		return strconv.AppendInt(dst, signed(value), 10)
	case *arrow.Date32Type:
		return jsonvalue.AppendDay(dst, signed(value))
	case *arrow.Date64Type:
		if signed(value)%dayMillis != 0 { // a writer has stored a time in it
			return jsonvalue.AppendTime(dst, signed(value), 1000, jsonvalue.Local)
		}
		return jsonvalue.AppendTime(dst, signed(value), 1000, jsonvalue.Date)
	case *arrow.Time32Type:
		return jsonvalue.AppendTime(dst, signed(value), unitsOf(t.Unit), jsonvalue.TimeOfDay)
	case *arrow.Time64Type:
		return jsonvalue.AppendTime(dst, signed(value), unitsOf(t.Unit), jsonvalue.TimeOfDay)
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return jsonvalue.AppendTime(dst, signed(value), unitsOf(t.Unit), jsonvalue.Instant)
		}
		return jsonvalue.AppendTime(dst, signed(value), unitsOf(t.Unit), jsonvalue.Local)
	case *arrow.MonthIntervalType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return appendInterval(dst, value)
	}
	return appendBase64(dst, value)
}
