package arrow

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

var errLongRow = errors.New("a row is too long for JSON: if it is meant to, give a larger --max-record")

// Layouts of times, as JSON strings.
const (
	dateLayout    = `"2006-01-02"`
	timeLayout    = `"15:04:05.999999999"`
	localLayout   = `"2006-01-02T15:04:05.999999999"`
	instantLayout = `"2006-01-02T15:04:05.999999999Z"`
)

// unitsOf is how many of a unit a second has.
func unitsOf(u arrow.TimeUnit) int64 { return int64(time.Second / u.Multiplier()) }

// appendTime writes n, which counts so many seconds each, or so many in a second.
func appendTime(dst []byte, n, seconds, inSecond int64, layout string) []byte {
	if seconds > 0 {
		return time.Unix(n*seconds, 0).UTC().AppendFormat(dst, layout)
	}
	whole, rest := n/inSecond, n%inSecond
	if rest < 0 {
		whole, rest = whole-1, rest+inSecond
	}
	return time.Unix(whole, rest*(1e9/inSecond)).UTC().AppendFormat(dst, layout)
}

func unsigned(value []byte) uint64 {
	switch len(value) {
	case 1:
		return uint64(value[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(value))
	case 4:
		return uint64(binary.LittleEndian.Uint32(value))
	}
	return binary.LittleEndian.Uint64(value)
}

func signed(value []byte) int64 {
	n, shift := unsigned(value), 64-8*len(value)
	return int64(n<<shift) >> shift
}

// appendFloat writes the shortest number that is read as f. JSON has none for infinity and what is
// not a number.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	layout := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		layout = 'e'
	}
	return strconv.AppendFloat(dst, f, layout, -1, bits)
}

// halfFloat widens an IEEE 754 half-precision number.
func halfFloat(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(fraction, -24)
	case 31:
		return math.NaN() // or infinity, for which JSON has no number either
	default:
		f = math.Ldexp(1024+fraction, exponent-25)
	}
	if h>>15 != 0 {
		return -f
	}
	return f
}

// unscaled is the integer that a decimal is stored as, in two's complement.
func unscaled(value []byte) *big.Int {
	bigEndian := slices.Clone(value)
	slices.Reverse(bigEndian)
	n := new(big.Int).SetBytes(bigEndian)
	if bigEndian[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return n
}

// appendDecimal writes n/10^scale with all its digits.
func appendDecimal(dst []byte, n *big.Int, scale int) []byte {
	if n.Sign() < 0 {
		dst = append(dst, '-')
		n = n.Neg(n)
	}
	digits := n.Append(nil, 10)
	switch {
	case scale < 0 && scale > -1000 && n.Sign() != 0: // a multiple of a power of ten
		return append(append(dst, digits...), slices.Repeat([]byte{'0'}, -scale)...)
	case scale <= 0 || scale > 1000:
		return append(dst, digits...)
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = append(slices.Repeat([]byte{'0'}, missing), digits...)
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	dst = append(dst, '.')
	return append(dst, digits[len(digits)-scale:]...)
}

// appendInterval writes months; days and milliseconds; or months, days and nanoseconds.
func appendInterval(dst, value []byte) []byte {
	int32At := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32(value[i:]))) }
	number := func(name string, n int64) { dst = strconv.AppendInt(append(dst, name...), n, 10) }
	switch len(value) {
	case 4:
		number(`{"months":`, int32At(0))
	case 8:
		number(`{"days":`, int32At(0))
		number(`,"milliseconds":`, int32At(4))
	default:
		number(`{"months":`, int32At(0))
		number(`,"days":`, int32At(4))
		number(`,"nanoseconds":`, int64(binary.LittleEndian.Uint64(value[8:])))
	}
	return append(dst, '}')
}
