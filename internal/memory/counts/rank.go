package counts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
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

// fromOrdered is the inverse of orderedBits.
func fromOrdered(bits uint64) float64 {
	if bits>>63 == 1 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
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

// AppendRankValue appends the JSON number or string that a rank was made from, or null.
func AppendRankValue(dst, rank []byte) []byte {
	switch {
	case len(rank) == 0:
		return append(dst, "null"...)
	case rank[0] == rankText:
		return jsontext.AppendQuoted(dst, rank[1:])
	}
	var b [16]byte
	copy(b[:], rank[1:])
	number := fromOrdered(binary.BigEndian.Uint64(b[:]))
	whole, more := new(big.Rat).SetFloat64(number), new(big.Rat).SetFloat64(fromOrdered(binary.BigEndian.Uint64(b[8:])))
	if len(rank) > 9 && whole != nil && more != nil { // both are finite
		exact := more.Add(more, whole)
		places, _ := exact.FloatPrec()
		return append(dst, exact.FloatString(places)...)
	}
	if math.IsInf(number, 0) {
		return append(strconv.AppendFloat(append(dst, '"'), number, 'g', -1, 64), '"')
	}
	form := byte('f')
	// the form that JSON encoders use
	if size := math.Abs(number); size >= 1e21 || size > 0 && size < 1e-6 {
		form = 'e'
	}
	return strconv.AppendFloat(dst, number, form, -1, 64)
}

// isRank reports whether b is a valid rank.
func isRank(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case b[0] == rankNumber:
		return len(b) <= 1+16
	}
	return b[0] == rankText && len(b) > 1 && len(b) <= mostRank
}

// ranked reports whether the rule compares ranks.
func (w Selection) ranked() bool { return w.Prefer != "" && w.Prefer != "last" }

// RankField returns the field whose values are ranked. byText reports whether texts are ranked
// instead.
func (w Selection) RankField() (field string, byText bool) {
	rule, field, _ := strings.Cut(w.Prefer, ":")
	return field, rule == "longest" || rule == "shortest" || rule == "fullest"
}

// prefers reports whether a record is preferred to an earlier one.
func (w Selection) prefers(rank, earlier []byte) bool {
	switch rule, _, _ := strings.Cut(w.Prefer, ":"); rule {
	case "last":
		return true
	case "longest", "fullest", "max":
		return CompareRanks(rank, earlier, false) > 0
	case "shortest", "min":
		// A record without a rank is preferred least.
		return CompareRanks(rank, earlier, true) < 0
	}
	return false
}

// ranks stores the ranks of records outside the Go heap, in 8 bytes each besides their own.
type ranks struct {
	bytes column[uint8]
	ends  column[int64]
}

func (r *ranks) append(rank []byte) error {
	for _, c := range rank {
		if err := r.bytes.append(c); err != nil {
			return err
		}
	}
	return r.ends.append(int64(r.bytes.n))
}

// appendOf appends the rank of a record, numbered from 0.
func (r *ranks) appendOf(dst []byte, record uint64) []byte {
	start := uint64(0)
	if record > 0 {
		start = uint64(r.ends.at(record - 1))
	}
	for end := uint64(r.ends.at(record)); start < end; start++ {
		dst = append(dst, r.bytes.at(start))
	}
	return dst
}
