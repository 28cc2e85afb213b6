// Package jsonvalue writes numbers and times as JSON, for all table formats.
package jsonvalue

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
)

// Layouts of times, as JSON strings.
const (
	Date      = `"2006-01-02"`
	TimeOfDay = `"15:04:05.999999999"`
	Local     = `"2006-01-02T15:04:05.999999999"`
	Instant   = `"2006-01-02T15:04:05.999999999Z"`
)

// AppendTime appends a time in units since 1970, with that many units in a second.
func AppendTime(dst []byte, n, inSecond int64, layout string) []byte {
	seconds, rest := n/inSecond, n%inSecond
	if rest < 0 {
		seconds, rest = seconds-1, rest+inSecond
	}
	return time.Unix(seconds, rest*(1e9/inSecond)).UTC().AppendFormat(dst, layout)
}

// AppendDay appends the date that many days after 1970-01-01.
func AppendDay(dst []byte, days int64) []byte {
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, Date)
}

// AppendFloat appends the shortest number that parses as f with that many bits. Infinity and NaN,
// which JSON lacks, become null.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	layout := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		layout = 'e'
	}
	return strconv.AppendFloat(dst, f, layout, -1, bits)
}

// HalfFloat widens an IEEE 754 half-precision number. Infinity becomes NaN, since JSON has neither.
func HalfFloat(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		return math.NaN()
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 != 0 {
		return -f
	}
	return f
}

// maxScale bounds the zeros that a scale in a file can ask for.
const maxScale = 1000

// AppendDecimal appends n/10^scale with all digits. It changes n.
func AppendDecimal(dst []byte, n *big.Int, scale int) []byte {
	if n.Sign() < 0 {
		dst = append(dst, '-')
		n = n.Neg(n)
	}
	digits := n.Append(nil, 10)
	switch {
	case scale < 0 && scale > -maxScale && n.Sign() != 0: // a multiple of a power of ten
		return append(append(dst, digits...), slices.Repeat([]byte{'0'}, -scale)...)
	case scale <= 0 || scale > maxScale:
		return append(dst, digits...)
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = append(slices.Repeat([]byte{'0'}, missing), digits...)
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	dst = append(dst, '.')
	return append(dst, digits[len(digits)-scale:]...)
}

// AppendUUID appends 16 bytes in the form of RFC 9562.
func AppendUUID(dst, value []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i, b := range value {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hex[b>>4], hex[b&15])
	}
	return append(dst, '"')
}
