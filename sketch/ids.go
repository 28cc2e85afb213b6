package sketch

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// newIDs returns the step that masks what differs each time something runs, and leaves other
// numbers as they are: each run of ASCII letters, digits, _ and - becomes a single 0 if it
//
//   - ends in a UUID, which nothing or one of _ and - precedes: session-550e8400-e29b-…
//   - begins with one of idPrefixes and _ or -, and goes on with at least six letters and digits,
//     some of either, and maybe more _ and -: call_a1b2c3, toolu_01A09q90qw90lq917835lq9
func newIDs() pass {
	return func(dst, text []byte) []byte {
		dst = slices.Grow(dst, len(text))
		for i := 0; i < len(text); {
			start := i
			for i < len(text) && isIDByte[text[i]] {
				i++
			}
			if run := text[start:i]; endsInUUID(run) || isPrefixedID(run) {
				dst = append(dst, '0')
			} else {
				dst = append(dst, run...)
			}
			start = i
			for i < len(text) && !isIDByte[text[i]] {
				i++
			}
			dst = append(dst, text[start:i]...)
		}
		return dst
	}
}

// idPrefixes are what ids of calls, messages and requests begin with in the interfaces of language
// models, in lower case.
var idPrefixes = strings.Fields("call chatcmpl cmpl fc msg req resp rs run srvtoolu thread tooluse toolu")

// leastID is how many letters and digits follow a prefix at least.
const leastID = 6

var isIDByte = func() (table [256]bool) {
	for c := range utf8.RuneSelf {
		table[c] = '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-'
	}
	return table
}()

// isPrefixedID reports whether a run is an id with one of the prefixes.
func isPrefixedID(run []byte) bool {
	end := slices.IndexFunc(run, func(c byte) bool { return c == '_' || c == '-' })
	if end < 0 {
		return false
	}
	isPrefix := func(prefix string) bool { return strings.EqualFold(prefix, string(run[:end])) }
	if !slices.ContainsFunc(idPrefixes, isPrefix) {
		return false
	}
	letters, digits := 0, 0
	for _, c := range run[end+1:] {
		switch {
		case '0' <= c && c <= '9':
			digits++
		case c != '_' && c != '-':
			letters++
		}
	}
	return letters > 0 && digits > 0 && letters+digits >= leastID
}

// uuidForm is a UUID (RFC 9562) with an x for each hexadecimal digit.
const uuidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

// endsInUUID reports whether a run is a UUID, alone or after something and _ or -.
func endsInUUID(run []byte) bool {
	rest := len(run) - len(uuidForm)
	if rest < 0 || rest > 0 && run[rest-1] != '_' && run[rest-1] != '-' {
		return false
	}
	for i, c := range run[rest:] {
		isHex := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
		if isDigit := uuidForm[i] == 'x'; isDigit && !isHex || !isDigit && c != '-' {
			return false
		}
	}
	return true
}
