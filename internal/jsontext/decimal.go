package jsontext

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
)

// A Decimal is a number as JSON writes it, whole: 0.digits times ten to the power of exponent. Zero
// has no digits.
type Decimal struct {
	negative bool
	digits   []byte // neither the first nor the last is 0
	exponent int64
}

// ParseDecimal reads a JSON number. ok is false if it is none, or its exponent is larger than any
// number needs.
func ParseDecimal(literal []byte) (n Decimal, ok bool) {
	rest, negative := bytes.CutPrefix(literal, []byte{'-'})
	mantissa, power := rest, int64(0)
	if at := bytes.IndexAny(rest, "eE"); at >= 0 {
		var err error
		if power, err = strconv.ParseInt(string(rest[at+1:]), 10, 64); err != nil || power > math.MaxInt64/2 ||
			power < math.MinInt64/2 {
			return n, false
		}
		mantissa = rest[:at]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	if len(whole) == 0 || skipDigits(whole, 0) < len(whole) || skipDigits(fraction, 0) < len(fraction) {
		return n, false
	}
	digits := append(append(make([]byte, 0, len(mantissa)), whole...), fraction...)
	n.exponent = power + int64(len(whole))
	trimmed := bytes.TrimLeft(digits, "0")
	n.exponent -= int64(len(digits) - len(trimmed))
	if n.digits = bytes.TrimRight(trimmed, "0"); len(n.digits) == 0 {
		return Decimal{}, true
	}
	n.negative = negative
	return n, true
}

// Append writes the number: as digits where these are few, or else with an exponent.
func (n Decimal) Append(dst []byte) []byte {
	if len(n.digits) == 0 {
		return append(dst, '0')
	}
	if n.negative {
		dst = append(dst, '-')
	}
	const few = 21
	switch zeros := n.exponent - int64(len(n.digits)); {
	case zeros >= 0 && n.exponent <= few:
		return append(append(dst, n.digits...), bytes.Repeat([]byte{'0'}, int(zeros))...)
	case n.exponent > 0 && zeros < 0:
		return append(append(append(dst, n.digits[:n.exponent]...), '.'), n.digits[n.exponent:]...)
	case n.exponent <= 0 && n.exponent > -6:
		dst = append(append(dst, "0."...), bytes.Repeat([]byte{'0'}, int(-n.exponent))...)
		return append(dst, n.digits...)
	}
	dst = append(append(dst, "0."...), n.digits...)
	return strconv.AppendInt(append(dst, 'e'), n.exponent, 10)
}

// CompareNumbers compares two JSON numbers by their values, whatever their lengths. ok is false if
// one of them is none.
func CompareNumbers(a, b []byte) (order int, ok bool) {
	x, okX := ParseDecimal(a)
	y, okY := ParseDecimal(b)
	if !okX || !okY {
		return 0, false
	}
	return x.compare(y), true
}

func (n Decimal) sign() int {
	switch {
	case len(n.digits) == 0:
		return 0
	case n.negative:
		return -1
	}
	return 1
}

func (n Decimal) compare(other Decimal) int {
	if order := cmp.Compare(n.sign(), other.sign()); order != 0 || n.sign() == 0 {
		return order
	}
	order := cmp.Or(cmp.Compare(n.exponent, other.exponent), bytes.Compare(n.digits, other.digits))
	if n.negative {
		return -order
	}
	return order
}
