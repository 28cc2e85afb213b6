package counts

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A rank says how much a record is preferred, so that ranks are compared byte by byte: none is
// empty; a number is rankNumber and the bits of a float64 in an order of their own, without zeros
// at the end; one from 2^53 up to 10^21, of either sign, has after them the bits of what the
// float64 lacks, so that integers of 64 bits are told apart; a string is rankText and its bytes. So
// any number is below any other string.
const (
	rankNumber = 1
	rankText   = 2
)

// mostRank is how many bytes of a rank are kept.
const mostRank = 1 + 256

// AppendRank appends the rank of a value, a JSON string or number. Numbers are ordered by their
// size and strings by their bytes, as the dates of ISO 8601 are; a string that looks like a number
// is one, since columns have strings only. An empty string, as columns have it, is no rank.
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

// orderedBits are the bits of a number, so that they are ordered as numbers are.
func orderedBits(number float64) uint64 {
	bits := math.Float64bits(number + 0) // which has no negative zero
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// fromOrdered is the number of ordered bits.
func fromOrdered(bits uint64) float64 {
	if bits>>63 == 1 {
		return math.Float64frombits(bits &^ (1 << 63))
	}
	return math.Float64frombits(^bits)
}

// mostExact is from where on numbers are ordered as float64: those below have 70 bits.
const mostExact = 1e21

// rest is what a number is more than the float64 that is nearest to it.
func rest(text string, nearest float64) float64 {
	exact, ok := new(big.Rat).SetString(text)
	if !ok { // as hexadecimal floats, which are what they are
		return 0
	}
	more, _ := exact.Sub(exact, new(big.Rat).SetFloat64(nearest)).Float64()
	return more
}

// CompareRanks orders ranks. None comes before all others, or if noneLast after them.
func CompareRanks(a, b []byte, noneLast bool) int {
	order := bytes.Compare(a, b)
	if noneLast && (len(a) == 0 || len(b) == 0) {
		return -order
	}
	return order
}

// AppendRankValue appends the JSON number or string that a rank is of, or null.
func AppendRankValue(dst, rank []byte) []byte {
	switch {
	case len(rank) == 0:
		return append(dst, "null"...)
	case rank[0] == rankText:
		return stream.AppendQuoted(dst, rank[1:])
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
	if size := math.Abs(number); size >= 1e21 || size > 0 && size < 1e-6 { // as JSON has them mostly
		form = 'e'
	}
	return strconv.AppendFloat(dst, number, form, -1, 64)
}

// isRank reports whether bytes are a rank that can be kept.
func isRank(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case b[0] == rankNumber:
		return len(b) <= 1+16
	}
	return b[0] == rankText && len(b) > 1 && len(b) <= mostRank
}

// ranked reports whether ranks are kept for that rule.
func (w What) ranked() bool { return w.Prefer != "" && w.Prefer != "last" }

// RankField is the field whose values are the ranks; byLength says that these are the lengths of
// texts instead.
func (w What) RankField() (field string, byLength bool) {
	rule, field, _ := strings.Cut(w.Prefer, ":")
	return field, rule == "longest" || rule == "shortest"
}

// prefers reports whether a record is preferred to an earlier one.
func (w What) prefers(rank, earlier []byte) bool {
	switch rule, _, _ := strings.Cut(w.Prefer, ":"); rule {
	case "last":
		return true
	case "longest", "max":
		return CompareRanks(rank, earlier, false) > 0
	case "shortest", "min":
		// A record without a rank is the last one that is preferred.
		return CompareRanks(rank, earlier, true) < 0
	}
	return false
}

// ranks are the ranks of records, outside the Go heap: 8 bytes a record beside their own.
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

// appendOf appends the rank of a record, whose number is from 0.
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
