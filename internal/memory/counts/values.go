package counts

import (
	"cmp"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Values stores the value of a field for each record, in 2 bytes a record. It distinguishes 65,535
// values of at most 256 bytes. It is not safe for concurrent use.
type Values struct {
	ids      column[uint16]
	names    dictionary
	overflow uint64
	text     []byte // scratch buffer
}

// A Count is the number of records with a value. The empty value means no value, or one that is not
// distinguished.
type Count struct {
	Value   string
	Records uint64
}

// Add appends the value of the next record, a JSON string or number, or nothing.
func (v *Values) Add(value []byte) error { return v.ids.append(v.idOf(value)) }

// idOf returns the number of a value.
func (v *Values) idOf(value []byte) uint16 {
	v.text = textOf(v.text[:0], value)
	id, ok := v.names.id(v.text)
	if !ok {
		v.overflow++
	}
	return id
}

// textOf appends the text of a JSON string or number.
func textOf(dst, value []byte) []byte {
	if len(value) > 0 && value[0] == '"' {
		return jsontext.AppendUnquoted(dst, value)
	}
	return append(dst, value...)
}

// Overflow returns the number of records whose value is not distinguished.
func (v *Values) Overflow() uint64 { return v.overflow }

// Of counts the values of records, numbered from 0, and returns them in the order of values.
func (v *Values) Of(records []uint32) (list []Count) {
	ids := make([]uint16, len(records))
	for i, record := range records {
		ids[i] = v.ids.at(uint64(record))
	}
	slices.Sort(ids)
	for at := 0; at < len(ids); {
		from := at
		for at < len(ids) && ids[at] == ids[from] {
			at++
		}
		list = append(list, Count{v.names.value(ids[from]), uint64(at - from)})
	}
	slices.SortFunc(list, func(a, b Count) int { return cmp.Compare(a.Value, b.Value) })
	return list
}

// Close frees the memory.
func (v *Values) Close() error { return v.ids.close() }

// A dictionary numbers the values of a field in the order of their first use. 0 means no value, an
// empty one, one that is too long, and any value once the dictionary is full. So its memory is
// bounded for any input.
type dictionary struct {
	ids  map[string]uint16
	list []string // list[i] has the number i+1
}

const (
	none = 0

	mostValues = math.MaxUint16
	mostLength = 256 // of a value, in bytes
)

// id returns the number of a value. ok is false if it is not distinguished.
func (d *dictionary) id(value []byte) (id uint16, ok bool) {
	if len(value) == 0 {
		return none, true
	}
	if id, known := d.ids[string(value)]; known {
		return id, true
	}
	if len(value) > mostLength || len(d.list) == mostValues {
		return none, false
	}
	return d.add(string(value)), true
}

func (d *dictionary) add(value string) uint16 {
	if d.ids == nil {
		d.ids = map[string]uint16{}
	}
	d.list = append(d.list, value)
	d.ids[value] = uint16(len(d.list))
	return uint16(len(d.list))
}

// value returns the value with a number, or "" for 0.
func (d *dictionary) value(id uint16) string {
	if id == none {
		return ""
	}
	return d.list[id-1]
}
