package parquet

import "encoding/binary"

// deltas decodes DELTA_BINARY_PACKED: numbers as packed differences, in blocks of several
// miniblocks. Arithmetic wraps around, as in the writer; the caller truncates narrow numbers.
type deltas struct {
	src        []byte // the unread part
	left       uint64 // numbers still to come
	perMini    int    // values in a miniblock
	minis      int    // miniblocks in a block
	last       int64
	first      bool // the first value is still to be returned
	minDelta   int64
	widths     []byte // of the remaining miniblocks of this block
	mini       []byte // the current miniblock
	width, bit int
	inMini     int // values left in it
}

func newDeltas(src []byte) (*deltas, error) {
	d := &deltas{src: src, first: true}
	block, ok1 := d.uvarint()
	minis, ok2 := d.uvarint()
	total, ok3 := d.uvarint()
	first, ok4 := d.uvarint()
	if !ok1 || !ok2 || !ok3 || !ok4 || minis == 0 || block%minis != 0 || block/minis%8 != 0 || block == 0 ||
		block > 1<<24 || minis > 1<<16 {
		return nil, errDamaged
	}
	d.minis, d.perMini, d.left = int(minis), int(block/minis), total
	d.last = unzigzag(first)
	return d, nil
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

func (d *deltas) uvarint() (uint64, bool) {
	v, n := binary.Uvarint(d.src)
	if n <= 0 {
		return 0, false
	}
	d.src = d.src[n:]
	return v, true
}

func (d *deltas) next() (int64, error) {
	if d.left == 0 {
		return 0, errDamaged
	}
	d.left--
	if d.first {
		d.first = false
		return d.last, nil
	}
	if d.inMini == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	d.last += d.minDelta + int64(unpack(d.mini, d.bit, d.width))
	d.bit += d.width
	return d.last, nil
}

// begin moves to the next miniblock.
func (d *deltas) begin() error {
	if len(d.widths) == 0 {
		u, ok := d.uvarint()
		if !ok || len(d.src) < d.minis {
			return errDamaged
		}
		d.minDelta = unzigzag(u)
		d.widths, d.src = d.src[:d.minis], d.src[d.minis:]
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errDamaged
	}
	size := d.perMini * d.width / 8
	if len(d.src) < size {
		return errDamaged
	}
	d.mini, d.src, d.bit, d.inMini = d.src[:size], d.src[size:], 0, d.perMini
	return nil
}

// rest skips all numbers and returns what follows them.
func (d deltas) rest() ([]byte, error) {
	if d.first && d.left > 0 {
		d.first = false
		d.left--
	}
	for d.left > 0 {
		if err := d.begin(); err != nil {
			return nil, err
		}
		d.left -= min(d.left, uint64(d.inMini))
	}
	return d.src, nil
}
