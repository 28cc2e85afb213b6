package groups

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
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

// appendRank appends the rank of a JSON string or number. Numbers are ordered by value, dates as
// times and other strings by their bytes (compareRanks). A string that looks like a number counts
// as one, since columns contain only strings. An empty string, as columns may have, has no rank.
func appendRank(dst, value []byte) []byte {
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

// compareRanks compares two ranks. An empty rank comes first, or last if noneLast is true. Numbers
// come before texts that are dates, which are compared as times, and those before all other texts.
func compareRanks(a, b []byte, noneLast bool) int {
	order := bytes.Compare(a, b)
	if len(a) > 0 && len(b) > 0 && a[0] == rankText && b[0] == rankText && order != 0 {
		order = compareTexts(a[1:], b[1:])
	}
	if noneLast && (len(a) == 0 || len(b) == 0) {
		return -order
	}
	return order
}

// compareTexts compares dates as times, and other texts, which come after them, by their bytes.
func compareTexts(a, b []byte) int {
	second, nano, isDate := timestamp.ParseDate(a)
	other, otherNano, isOtherDate := timestamp.ParseDate(b)
	switch {
	case isDate && isOtherDate:
		return cmp.Or(cmp.Compare(second, other), cmp.Compare(nano, otherNano))
	case isDate:
		return -1
	case isOtherDate:
		return 1
	}
	return bytes.Compare(a, b)
}
