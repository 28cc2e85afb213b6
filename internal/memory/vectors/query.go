package vectors

import (
	"math"
	"unsafe"
)

// bytesOf returns the bytes of rows stored in words.
func bytesOf(words []uint64) []int8 {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(&words[0])), 8*len(words))
}

// wordsOf returns the words that store the bytes of rows.
func wordsOf(rows []int8) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&rows[0])), len(rows)/8)
}

// A query is a row to compare others with.
type query struct {
	row     []int8
	wide    []int16 // the same values
	squares int32   // scalar product of the row with itself
	within  uint64  // word of the row, under Params.Within
}

// set makes row the query.
func (q *query) set(row []int8) {
	q.row = row
	q.wide = append(q.wide[:0], make([]int16, len(row))...)
	q.squares = 0
	for i, v := range row {
		q.wide[i] = int16(v)
		q.squares += int32(v) * int32(v)
	}
}

// length returns the length of the row as a vector.
func (q *query) length() float64 { return math.Sqrt(float64(q.squares)) }

// cosine returns the cosine of the query and a row, from the scalar products of the two and of the
// row with itself.
func (q *query) cosine(dot, squares int32) float64 {
	return float64(dot) / math.Sqrt(float64(q.squares)*float64(squares))
}

// dots sets out to the scalar products of a row with each of the concatenated rows.
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
