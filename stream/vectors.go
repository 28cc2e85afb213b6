package stream

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"
)

// Vectors is a format whose records have a vector in the place of a text, in its one field: a list
// of dims numbers in JSON, or a text that is such a list. Sketchers are given its values as
// float32, in little-endian order, one after the other. A vector with another length, with a value
// that is not finite, or of zeroes alone is a problem of its record. If dims is 0 any length will
// do.
func Vectors(f Format, dims int) Format { return vectorFormat{ofLists(f), dims} }

// ofLists is a format whose one field may be a list; other formats than JSON stay as they are.
func ofLists(f Format) Format {
	switch of := f.(type) {
	case jsonLines:
		of.lists = true
		f = of
	case jsonArray:
		of.lists = true
		f = of
	}
	return f
}

type vectorFormat struct {
	Format
	dims int
}

func (f vectorFormat) newParser() parser {
	return &vectorParser{parser: f.Format.newParser(), dims: f.dims}
}

// A vectorParser takes the vectors out of records.
type vectorParser struct {
	parser
	dims   int
	values []byte
}

// text returns the values of the vector of a record's body.
func (v *vectorParser) text(body []byte) ([]byte, Problem) {
	list, p := v.parser.text(body)
	if p.kind == readable {
		p = v.read(list)
	}
	if p.kind != readable {
		return nil, p
	}
	return v.values, p
}

// read reads a list of numbers.
func (v *vectorParser) read(list []byte) Problem {
	v.values = v.values[:0]
	list = bytes.TrimSpace(list)
	if len(list) < 2 || list[0] != '[' || list[len(list)-1] != ']' {
		return Problem{kind: notVector}
	}
	isZero := true
	for rest, more := list[1:len(list)-1], true; more; {
		var number []byte
		number, rest, more = bytes.Cut(rest, []byte(","))
		number = bytes.TrimSpace(number)
		value, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(number), len(number)), 32)
		if math.IsNaN(value) || math.IsInf(value, 0) || string(number) == "null" { // as NaN is in JSON
			return Problem{kind: notFinite}
		}
		if err != nil {
			return Problem{kind: notVector}
		}
		isZero = isZero && value == 0
		v.values = binary.LittleEndian.AppendUint32(v.values, math.Float32bits(float32(value)))
	}
	switch {
	case v.dims > 0 && len(v.values) != 4*v.dims:
		return Problem{kind: vectorLength}
	case isZero:
		return Problem{kind: zeroVector}
	}
	return Problem{}
}

func (v *vectorParser) release() {
	v.parser.release()
	v.values = keep(v.values)
}

// VectorLength is how many dimensions the vector in a field of a JSON record has; 0 if there is
// none that could be compared.
func VectorLength(field Field, record []byte) int {
	values, _ := Vectors(JSONLines([]Field{field}), 0).newParser().text(record)
	return len(values) / 4
}
