package parquet

import (
	"encoding/binary"
	"fmt"
)

// An encoding is how a page stores values (Encoding).
type encoding int32

const (
	plainEncoding        encoding = 0
	plainDictionary      encoding = 2 // the old name of rleDictionary
	rle                  encoding = 3
	bitPacked            encoding = 4
	deltaBinaryPacked    encoding = 5
	deltaLengthByteArray encoding = 6
	deltaByteArray       encoding = 7
	rleDictionary        encoding = 8
	byteStreamSplit      encoding = 9
)

// A decoder appends the values of a page to a vector, one at a time.
type decoder interface {
	next(v *vector) error
}

// newDecoder returns a decoder for the values of a page.
func newDecoder(c *column, e encoding, page []byte, dict *dictionary) (decoder, error) {
	numbers := c.physical == int32s || c.physical == int64s
	switch {
	case e == plainEncoding && c.physical == byteArray:
		return &plainBytes{page}, nil
	case e == plainEncoding && c.physical == boolean:
		return &plainBooleans{src: page}, nil
	case e == plainEncoding:
		return &plainFixed{page, c.width}, nil
	case e == rle && c.physical == boolean:
		if len(page) < 4 {
			return nil, errDamaged
		}
		return &runBooleans{newHybrid(page[4:], 1)}, nil
	case e == plainDictionary || e == rleDictionary:
		return newIndices(page, dict)
	case e == deltaBinaryPacked && numbers:
		d, err := newDeltas(page)
		return &deltaNumbers{d, c.width}, err
	case e == deltaLengthByteArray && c.physical == byteArray:
		return newDeltaLengths(page)
	case e == deltaByteArray && (c.physical == byteArray || c.physical == fixedLenByteArray):
		return newDeltaBytes(page, c.width)
	case e == byteStreamSplit && c.width > 1 && c.physical != int96:
		return &splitStreams{src: page, width: c.width, stride: len(page) / c.width}, nil
	}
	return nil, fmt.Errorf("encoding %d of %v is not known", e, c.physical)
}

type plainBytes struct{ src []byte }

func (p *plainBytes) next(v *vector) error {
	if len(p.src) < 4 {
		return errDamaged
	}
	n := binary.LittleEndian.Uint32(p.src)
	if uint64(n) > uint64(len(p.src)-4) {
		return errDamaged
	}
	v.appendBytes(p.src[4 : 4+n])
	p.src = p.src[4+n:]
	return nil
}

type plainFixed struct {
	src   []byte
	width int
}

func (p *plainFixed) next(v *vector) error {
	if len(p.src) < p.width {
		return errDamaged
	}
	v.data = append(v.data, p.src[:p.width]...)
	p.src = p.src[p.width:]
	return nil
}

type plainBooleans struct {
	src []byte
	bit int
}

func (p *plainBooleans) next(v *vector) error {
	if p.bit/8 >= len(p.src) {
		return errDamaged
	}
	v.data = append(v.data, p.src[p.bit/8]>>(p.bit%8)&1)
	p.bit++
	return nil
}

type runBooleans struct{ hybrid }

func (r *runBooleans) next(v *vector) error {
	b, err := r.hybrid.next()
	v.data = append(v.data, byte(b))
	return err
}

// A dictionary holds the values that the indices in later pages refer to.
type dictionary struct {
	data  []byte
	width int   // of a value, or 0
	ends  []int // where each value ends, for values of variable length
	n     int
}

// newDictionary parses a dictionary page. It keeps page, and reuses the memory of ends.
func newDictionary(c *column, page []byte, n int, ends []int) (*dictionary, error) {
	d := &dictionary{data: page, width: c.width, ends: ends[:0], n: n}
	if c.physical == boolean {
		return nil, fmt.Errorf("a dictionary of %v", c.physical)
	}
	if d.width > 0 {
		if n > len(page)/d.width {
			return nil, errDamaged
		}
		return d, nil
	}
	for at := 0; len(d.ends) < n; {
		if len(page)-at < 4 {
			return nil, errDamaged
		}
		size := binary.LittleEndian.Uint32(page[at:])
		if at += 4; uint64(size) > uint64(len(page)-at) {
			return nil, errDamaged
		}
		at += int(size)
		d.ends = append(d.ends, at)
	}
	return d, nil
}

// at returns value i.
func (d *dictionary) at(i int) []byte {
	if d.width > 0 {
		return d.data[i*d.width : (i+1)*d.width]
	}
	start := 4
	if i > 0 {
		start += d.ends[i-1]
	}
	return d.data[start:d.ends[i]]
}

type indices struct {
	hybrid
	dict *dictionary
}

func newIndices(page []byte, dict *dictionary) (decoder, error) {
	switch {
	case dict == nil:
		return nil, fmt.Errorf("its values are in a dictionary, which is missing")
	case len(page) == 0: // no values
		return &indices{dict: dict}, nil
	case page[0] > 32:
		return nil, errDamaged
	}
	return &indices{newHybrid(page[1:], int(page[0])), dict}, nil
}

func (x *indices) next(v *vector) error {
	i, err := x.hybrid.next()
	if err != nil {
		return err
	}
	if int(i) >= x.dict.n {
		return fmt.Errorf("value %d of a dictionary of %d", i, x.dict.n)
	}
	if x.dict.width > 0 {
		v.data = append(v.data, x.dict.at(int(i))...)
	} else {
		v.appendBytes(x.dict.at(int(i)))
	}
	return nil
}

type deltaNumbers struct {
	*deltas
	width int
}

func (d *deltaNumbers) next(v *vector) error {
	n, err := d.deltas.next()
	if d.width == 4 {
		v.data = binary.LittleEndian.AppendUint32(v.data, uint32(n))
	} else {
		v.data = binary.LittleEndian.AppendUint64(v.data, uint64(n))
	}
	return err
}

type deltaLengths struct {
	lengths *deltas
	src     []byte
}

func newDeltaLengths(page []byte) (*deltaLengths, error) {
	lengths, err := newDeltas(page)
	if err != nil {
		return nil, err
	}
	rest, err := lengths.rest()
	return &deltaLengths{lengths, rest}, err
}

// nextValue returns the next value, which aliases the page.
func (d *deltaLengths) nextValue() ([]byte, error) {
	n, err := d.lengths.next()
	switch {
	case err != nil:
		return nil, err
	case n < 0 || n > int64(len(d.src)):
		return nil, errDamaged
	}
	value := d.src[:n]
	d.src = d.src[n:]
	return value, nil
}

func (d *deltaLengths) next(v *vector) error {
	value, err := d.nextValue()
	v.appendBytes(value)
	return err
}

// deltaBytes decodes values that share prefixes with the preceding ones.
type deltaBytes struct {
	prefixes *deltas
	suffixes *deltaLengths
	last     []byte
	width    int
}

func newDeltaBytes(page []byte, width int) (*deltaBytes, error) {
	prefixes, err := newDeltas(page)
	if err != nil {
		return nil, err
	}
	rest, err := prefixes.rest()
	if err != nil {
		return nil, err
	}
	suffixes, err := newDeltaLengths(rest)
	return &deltaBytes{prefixes: prefixes, suffixes: suffixes, width: width}, err
}

func (d *deltaBytes) next(v *vector) error {
	n, err := d.prefixes.next()
	if err != nil {
		return err
	}
	suffix, err := d.suffixes.nextValue()
	if err != nil {
		return err
	}
	if n < 0 || n > int64(len(d.last)) {
		return errDamaged
	}
	d.last = append(d.last[:n], suffix...)
	switch {
	case d.width == 0:
		v.appendBytes(d.last)
	case len(d.last) != d.width:
		return errDamaged
	default:
		v.data = append(v.data, d.last...)
	}
	return nil
}

// splitStreams decodes BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones, and
// so on.
type splitStreams struct {
	src           []byte
	width, stride int
	at            int
}

func (s *splitStreams) next(v *vector) error {
	if s.at >= s.stride {
		return errDamaged
	}
	for i := range s.width {
		v.data = append(v.data, s.src[i*s.stride+s.at])
	}
	s.at++
	return nil
}
