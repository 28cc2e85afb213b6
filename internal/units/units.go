// Package units formats numbers for people, in one way everywhere.
package units

import (
	"fmt"
	"strconv"
)

// Count formats a number with thousands separators: 1,234,567.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	out := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

// Of formats a count of something, whose plural ends in s: 1 record, 2,000 records.
func Of(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return Count(n) + " " + what
}

// Bytes formats a number of bytes with about three significant digits: 93.4 MiB.
func Bytes(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n), 0
	for value >= 1024 && unit < 5 {
		value, unit = value/1024, unit+1
	}
	digits := 1
	if value >= 100 {
		digits = 0
	}
	return fmt.Sprintf("%.*f %ciB", digits, value, " KMGTP"[unit])
}

// Percent returns a part of a whole in percent; 0 if the whole is 0.
func Percent(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
