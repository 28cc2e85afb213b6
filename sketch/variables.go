package sketch

import (
	"slices"
	"unicode/utf8"
)

// newVariables makes the step that masks what varies from line to line of a log: each run of ASCII
// letters, digits and the signs of variableSigns that has a digit becomes one 0. So numbers, hex,
// UUIDs, addresses with ports, times and paths with a number in them are equal, and "user=17" is
// "user=0", where the sign before the number is none of these.
func newVariables() pass {
	return func(dst, text []byte) []byte {
		dst = slices.Grow(dst, len(text))
		for i := 0; i < len(text); {
			start := i
			digits := uint8(0)
			for i < len(text) && variable[text[i]] != 0 {
				digits |= variable[text[i]]
				i++
			}
			if digits&variableDigit != 0 {
				dst = append(dst, '0')
			} else {
				dst = append(dst, text[start:i]...)
			}
			start = i
			for i < len(text) && variable[text[i]] == 0 {
				i++
			}
			dst = append(dst, text[start:i]...)
		}
		return dst
	}
}

// variableSigns may stand inside what varies: in numbers, versions, times, addresses, paths.
const variableSigns = "_.:/@-"

const variableOther, variableDigit = 1, 2

// variable says of each byte whether it may be part of a run, and whether it is a digit.
var variable = func() (table [256]uint8) {
	for c := range utf8.RuneSelf {
		switch {
		case '0' <= c && c <= '9':
			table[c] = variableDigit
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			table[c] = variableOther
		}
	}
	for _, c := range []byte(variableSigns) {
		table[c] = variableOther
	}
	return table
}()
