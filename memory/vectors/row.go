package vectors

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// rowAlign is what the length of a row in bytes is a multiple of; what is too much is zero.
const rowAlign = 32

// rowBytes is the length of the row of a vector.
func rowBytes(dims int) int { return (dims + rowAlign - 1) / rowAlign * rowAlign }

// RowWords is how many words the row of a vector of so many dimensions has.
func RowWords(dims int) int { return rowBytes(dims) / 8 }

// ErrZero is the error of a vector that has no direction: all its values are zero, or there are
// none.
var ErrZero = errors.New("the vector is zero")

// AppendRow appends the row of a vector to dst: its values are rounded to multiples of a 127th of
// the largest of them. The error is ErrZero, or says which value is not finite; then nothing is
// appended. That a row has as many values as the rows of an Index is checked there.
func AppendRow(dst []uint64, vector []float32) ([]uint64, error) {
	largest := 0.
	for _, v := range vector {
		largest = max(largest, math.Abs(float64(v))) // NaN if one is
	}
	switch {
	case largest == 0:
		return dst, ErrZero
	case !(largest <= math.MaxFloat32):
		return dst, notFinite(vector)
	}
	return appendRow(dst, vector, largest), nil
}

func notFinite(vector []float32) error {
	i := slices.IndexFunc(vector, func(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) })
	return fmt.Errorf("value %d of the vector is %v", i, vector[i])
}

// appendRow appends the row of a vector whose largest value is so large.
func appendRow(dst []uint64, vector []float32, largest float64) []uint64 {
	start := len(dst)
	dst = append(dst, make([]uint64, RowWords(len(vector)))...)
	row := bytesOf(dst[start:])
	for i, v := range vector {
		row[i] = int8(math.RoundToEven(float64(v) / largest * 127))
	}
	return dst
}

// bytesOf views words as the bytes of rows.
func bytesOf(words []uint64) []int8 {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&words[0])), 8*len(words))
}

// wordsOf views the bytes of rows as words.
func wordsOf(rows []int8) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&rows[0])), len(rows)/8)
}

// Cosine is the cosine of two rows, 0 if one of them is zero, or they are not of the same length.
func Cosine(a, b []uint64) float64 {
	if len(a) != len(b) {
		return 0
	}
	var q, other query
	q.set(bytesOf(a))
	if other.set(bytesOf(b)); q.squares == 0 || other.squares == 0 {
		return 0
	}
	var dot [1]int32
	dots(dot[:], q.wide, other.row)
	return q.cosine(dot[0], other.squares)
}

// A query is a row that others are compared with.
type query struct {
	row     []int8
	wide    []int16 // the same values
	squares int32   // the scalar product of the row with itself
}

// set makes the query that of a row.
func (q *query) set(row []int8) {
	q.row = row
	q.wide = append(q.wide[:0], make([]int16, len(row))...)
	q.squares = 0
	for i, v := range row {
		q.wide[i] = int16(v)
		q.squares += int32(v) * int32(v)
	}
}

// length is the length of the row as a vector.
func (q *query) length() float64 { return math.Sqrt(float64(q.squares)) }

// cosine is the cosine of the query and a row, whose scalar product with it and with itself are
// given.
func (q *query) cosine(dot, squares int32) float64 {
	return float64(dot) / math.Sqrt(float64(q.squares)*float64(squares))
}

// dots sets out to the scalar products of a row with the rows that follow each other in rows.
func dots(out []int32, wide []int16, rows []int8) {
	if hasAVX2 && len(out) > 0 {
		dotsAVX2(&out[0], &wide[0], &rows[0], len(wide), len(out))
		return
	}
	dotsGo(out, wide, rows)
}

func dotsGo(out []int32, wide []int16, rows []int8) {
	for i := range out {
		row := rows[i*len(wide):][:len(wide)]
		sum := int32(0)
		for d, v := range row {
			sum += int32(v) * int32(wide[d])
		}
		out[i] = sum
	}
}
