package parquet

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
)

// A dictionaryWriter numbers the distinct values of a column, from 0, in the order of their first
// use. Its memory is reused for the next row groups, since it would be the largest allocation of a
// small one.
type dictionaryWriter struct {
	data []byte // the values, PLAIN
	ends []int  // where each ends in data
	// a hash table with open addressing, at most half full: number + 1, or 0 if empty
	slots []uint32
	seed  maphash.Seed
}

func newDictionaryWriter() *dictionaryWriter { return &dictionaryWriter{seed: maphash.MakeSeed()} }

// reset removes all values, and drops the memory that a long one left behind.
func (d *dictionaryWriter) reset() {
	if cap(d.data) > 2*dictionaryBytes {
		d.data = nil
	}
	if len(d.slots) > 64+32*len(d.ends) { // clearing the slots takes longer than allocating a few
		d.slots = nil
	}
	d.data, d.ends = d.data[:0], d.ends[:0]
	clear(d.slots)
}

// value returns the value with a number.
func (d *dictionaryWriter) value(c *column, number uint32) []byte {
	start := 0
	if number > 0 {
		start = d.ends[number-1]
	}
	if c.width == 0 {
		start += 4
	}
	return d.data[start:d.ends[number]]
}

// number returns the number of a value, the next one if it is new.
func (d *dictionaryWriter) number(c *column, value []byte) uint32 {
	if 2*len(d.ends) >= len(d.slots) {
		d.grow(c)
	}
	slot := d.slot(value)
	for ; d.slots[slot] > 0; slot = (slot + 1) & (len(d.slots) - 1) {
		if n := d.slots[slot] - 1; bytes.Equal(d.value(c, n), value) {
			return n
		}
	}
	d.data = c.appendPlain(d.data, value)
	d.ends = append(d.ends, len(d.data))
	d.slots[slot] = uint32(len(d.ends))
	return uint32(len(d.ends) - 1)
}

// slot returns where the search for a value begins.
func (d *dictionaryWriter) slot(value []byte) int {
	return int(maphash.Bytes(d.seed, value)) & (len(d.slots) - 1)
}

// grow enlarges slots to the next power of two.
func (d *dictionaryWriter) grow(c *column) {
	d.slots = make([]uint32, max(64, 4*len(d.slots)))
	for n := range d.ends {
		slot := d.slot(d.value(c, uint32(n)))
		for d.slots[slot] > 0 {
			slot = (slot + 1) & (len(d.slots) - 1)
		}
		d.slots[slot] = uint32(n + 1)
	}
}

// appendPlain appends a value in PLAIN encoding, except that Booleans take a byte each.
func (c *column) appendPlain(dst, value []byte) []byte {
	if c.width == 0 {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	}
	return append(dst, value...)
}
