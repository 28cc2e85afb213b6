package record

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"
)

// Vectors is a format whose records have a vector in place of a text, in its one field: a list
// of dims numbers in JSON, or a text that is such a list. Sketchers are given its values as
// float32, in little-endian order, one after the other. A vector with another length, with a value
// that is not finite, or of zeroes alone is a problem of its record. If dims is 0 any length will
// do.
func Vectors(f Format, dims int) Format {
	return ofLists(f, KindNotVector, func(values, list []byte) ([]byte, Problem) {
		return appendVector(values, list, dims)
	})
}

// appendVector appends the values of a list of numbers.
func appendVector(values, list []byte, dims int) ([]byte, Problem) {
	isZero := true
	for rest, more := list, true; more; {
		var number []byte
		number, rest, more = bytes.Cut(rest, []byte(","))
		number = bytes.TrimSpace(number)
		value, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(number), len(number)), 32)
		if math.IsNaN(value) || math.IsInf(value, 0) || string(number) == "null" { // as NaN is in JSON
			return values, Problem{kind: KindNotFinite}
		}
		if err != nil {
			return values, Problem{kind: KindNotVector}
		}
		isZero = isZero && value == 0
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(float32(value)))
	}
	switch {
	case dims > 0 && len(values) != 4*dims:
		return values, Problem{kind: KindVectorLength}
	case isZero:
		return values, Problem{kind: KindZeroVector}
	}
	return values, Problem{}
}

// A listFormat is a format whose one field is a list in place of a text.
type listFormat struct {
	Format
	notList Kind // the problem of a record that has something else there
	// read appends what sketchers are given for what stands between the brackets.
	read func(values, list []byte) ([]byte, Problem)
}

// ofLists is a format whose one field may be a list; other formats than JSON have it as a text.
func ofLists(f Format, notList Kind, read func(values, list []byte) ([]byte, Problem)) Format {
	return listFormat{ofJSON(f, func(of *jsonRecords) { of.lists = true }), notList, read}
}

func (f listFormat) NewParser(names ...string) Parser {
	return &listParser{Parser: f.Format.NewParser(names...), format: f}
}

// A listParser takes the lists out of records.
type listParser struct {
	Parser
	format listFormat
	values []byte
}

// Text returns the values of the list of a record's body.
func (l *listParser) Text(body []byte) ([]byte, Problem) {
	list, p := l.Parser.Text(body)
	list = bytes.TrimSpace(list)
	switch {
	case p.kind == KindNotVector: // nor any other list
		return nil, Problem{kind: l.format.notList}
	case p.kind != KindReadable:
		return nil, p
	case len(list) < 2 || list[0] != '[' || list[len(list)-1] != ']':
		return nil, Problem{kind: l.format.notList}
	}
	if l.values, p = l.format.read(l.values[:0], list[1:len(list)-1]); p.kind != KindReadable {
		return nil, p
	}
	return l.values, p
}

func (l *listParser) Release() {
	l.Parser.Release()
	l.values = KeepScratch(l.values)
}

// VectorLength returns the number of dimensions of the vector in a field of a JSON record, or 0 if
// the field has no vector that can be compared.
func VectorLength(field Field, record []byte) int {
	values, _ := Vectors(JSONLines([]Field{field}), 0).NewParser().Text(record)
	return len(values) / 4
}
