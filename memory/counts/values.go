package counts

import "math"

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

// value is that of a number; it is empty for none.
func (d *dictionary) value(id uint16) string {
	if id == none {
		return ""
	}
	return d.list[id-1]
}
