package counts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
)

// A rank is a byte string that orders records by preference. No rank is the empty string. A number
// is rankNumber followed by the bits of a float64 in an order-preserving form, without trailing
// zero bytes. A number from 2^53 up to 10^21, of either sign, is followed by the bits that the
// float64 lacks, so that all 64-bit integers are distinct. A string is rankText followed by its
// bytes. So every number ranks below every string.
const (
	rankNumber = 1
	rankText   = 2
)

// mostRank is the maximum length of a stored rank.
const mostRank = 1 + 256

// AppendRank appends the rank of a JSON string or number. Numbers are ordered by value and strings
// by their bytes, as ISO 8601 dates are. A string that looks like a number counts as one, since
// columns contain only strings. An empty string, as columns may have, has no rank.
func AppendRank(dst, value []byte) []byte {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	if text == "" {
		return dst
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number != number {
		return append(append(dst, rankText), text...)
	}
	dst = binary.BigEndian.AppendUint64(append(dst, rankNumber), orderedBits(number))
	if size := math.Abs(number); size >= 1<<53 && size < mostExact {
		dst = binary.BigEndian.AppendUint64(dst, orderedBits(rest(text, number)))
	}
	return bytes.TrimRight(dst, "\x00")
}

// orderedBits returns bits that are ordered as the numbers are.
func orderedBits(number float64) uint64 {
	bits := math.Float64bits(number + 0) // turns negative zero into zero
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// mostExact is the limit from which on numbers are ordered as float64. Below it they have 70 bits.
const mostExact = 1e21

// rest returns the difference between a number and the nearest float64.
func rest(text string, nearest float64) float64 {
	exact, ok := new(big.Rat).SetString(text)
	if !ok { // hexadecimal floats are exact
		return 0
	}
	more, _ := exact.Sub(exact, new(big.Rat).SetFloat64(nearest)).Float64()
	return more
}

// CompareRanks compares two ranks. An empty rank comes first, or last if noneLast is true.
func CompareRanks(a, b []byte, noneLast bool) int {
	order := bytes.Compare(a, b)
	if noneLast && (len(a) == 0 || len(b) == 0) {
		return -order
	}
	return order
}
