package sketch

import (
	"slices"
	"unicode/utf8"
)

// newVariables returns the step that masks what varies between the lines of a log: each run of
// ASCII letters, digits and variableSigns that contains a digit becomes a single 0. So numbers,
// hex, UUIDs, addresses with ports, times and paths with a number are equal, and "user=17" becomes
// "user=0", since = is not such a sign.
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

// variableSigns may occur inside variables: in numbers, versions, times, addresses, paths.
const variableSigns = "_.:/@-"

const variableOther, variableDigit = 1, 2

// variable says for each byte whether it may be part of a run, and whether it is a digit.
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
