package values

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes: 4096, 64KiB, 64MiB, 8GiB, or with decimal units 10MB, 2GB. K, M, G and
// T are short for KiB and so on.
type Size int64

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1},
}

// UnmarshalText parses a size.
func (s *Size) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	for _, unit := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, unit.suffix); ok {
			number, factor = rest, unit.bytes
			break
		}
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(value*factor >= 0 && value*factor < math.MaxInt64) {
		return fmt.Errorf("%q is not a size: write something like 4096, 64MiB, 8GiB or 10MB", text)
	}
	*s = Size(value * factor)
	return nil
}

// Count is a number of records: 1000000, 5e9, 10M. K, M, G (or B) and T are powers of a thousand.
type Count uint64

var countUnits = map[byte]float64{'k': 1e3, 'm': 1e6, 'g': 1e9, 'b': 1e9, 't': 1e12}

// UnmarshalText parses a count.
func (c *Count) UnmarshalText(text []byte) error {
	number, factor := strings.ToLower(strings.TrimSpace(string(text))), 1.0
	if n := len(number); n > 0 {
		if unit, ok := countUnits[number[n-1]]; ok {
			number, factor = number[:n-1], unit
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value*factor >= 0 && value*factor <= 1e18) {
		return fmt.Errorf("%q is not a count: write something like 1000000, 5e9 or 10M", text)
	}
	*c = Count(math.Round(value * factor))
	return nil
}
