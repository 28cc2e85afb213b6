// Package rows packs vectors into words: a row has one byte for each dimension, and rows are
// compared by their cosine.
package rows

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The length of a row is a multiple of align words, padded with zeros.
const align = 4

// Words returns the number of words of the row of a vector with that many dimensions.
func Words(dims int) int { return (dims + 8*align - 1) / (8 * align) * align }

// ErrZero is returned for a vector without a direction: it has no values, or all are zero.
var ErrZero = errors.New("the vector is zero")

// Append appends the row of a vector to dst: its values rounded to multiples of a 127th of the
// largest. The error is ErrZero, or says which value is not finite; then nothing is appended.
// Whether rows have equal lengths is checked where they meet.
func Append(dst []uint64, vector []float32) ([]uint64, error) {
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
	start := len(dst)
	dst = append(dst, make([]uint64, Words(len(vector)))...)
	row := dst[start:]
	for i, v := range vector {
		value := int8(math.RoundToEven(float64(v) / largest * 127))
		row[i/8] |= uint64(uint8(value)) << (i % 8 * 8)
	}
	return dst, nil
}

func notFinite(vector []float32) error {
	i := slices.IndexFunc(vector, func(v float32) bool { return !(math.Abs(float64(v)) <= math.MaxFloat32) })
	return fmt.Errorf("value %d of the vector is %v", i, vector[i])
}

// Cosine returns the cosine of two rows, or 0 if one of them is zero or their lengths differ.
func Cosine(a, b []uint64) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, squaresA, squaresB int64
	for i := range a {
		for shift := 0; shift < 64; shift += 8 {
			x, y := int64(int8(a[i]>>shift)), int64(int8(b[i]>>shift))
			dot += x * y
			squaresA += x * x
			squaresB += y * y
		}
	}
	if squaresA == 0 || squaresB == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(float64(squaresA)*float64(squaresB))
}
