package counts

import (
	"cmp"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/stream"
)

// Values has what a field holds in each record, in 2 bytes a record. It tells 65,535 values apart,
// of 256 bytes at most. It is not safe for concurrent use.
type Values struct {
	ids    column[uint16]
	names  dictionary
	beyond uint64
	text   []byte // scratch
}

// A Count is how many records have a value; those that have none, or one that is not told apart,
// have an empty one.
type Count struct {
	Value   string
	Records uint64
}

// Add takes in what the next record has, a JSON string or number, or nothing.
func (v *Values) Add(value []byte) error { return v.ids.append(v.idOf(value)) }

// idOf is the number of a value.
func (v *Values) idOf(value []byte) uint16 {
	v.text = textOf(v.text[:0], value)
	id, ok := v.names.id(v.text)
	if !ok {
		v.beyond++
	}
	return id
}

// textOf appends what a JSON string or number stands for.
func textOf(dst, value []byte) []byte {
	if len(value) > 0 && value[0] == '"' {
		return stream.AppendUnquoted(dst, value)
	}
	return append(dst, value...)
}

// Beyond is how many records have a value that is not told apart.
func (v *Values) Beyond() uint64 { return v.beyond }

// Of counts the values of some records, whose numbers are from 0, in the order of the values.
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

// Close gives the memory back.
func (v *Values) Close() error { return v.ids.close() }

// A dictionary numbers the values of a field, in the order in which they come. The number 0 is for
// none: no value, an empty one, one that is too long, and whatever comes when there are as many as
// there may be. So its memory is bounded, whatever the records say.
type dictionary struct {
	ids  map[string]uint16
	list []string // the value with the number i+1
}

const (
	none = 0

	mostValues = math.MaxUint16
	mostLength = 256 // of a value, in bytes
)

// id is the number of a value. ok is false if it is not told apart.
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

// value is what a number stands for; it is empty for none.
func (d *dictionary) value(id uint16) string {
	if id == none {
		return ""
	}
	return d.list[id-1]
}
