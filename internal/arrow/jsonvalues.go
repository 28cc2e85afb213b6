package arrow

import (
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

var errLongRow = errors.New("a row is too long for JSON: if it is meant to, give a larger --max-record")

// unitsOf returns the number of units in a second.
func unitsOf(u arrow.TimeUnit) int64 { return int64(time.Second / u.Multiplier()) }

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

// unscaled returns the integer that represents a decimal, in two's complement.
func unscaled(value []byte) *big.Int {
	bigEndian := slices.Clone(value)
	slices.Reverse(bigEndian)
	n := new(big.Int).SetBytes(bigEndian)
	if bigEndian[0]&0x80 != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return n
}

// appendInterval writes months; or days and milliseconds; or months, days and nanoseconds.
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
