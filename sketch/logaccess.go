package sketch

import (
	"bytes"
	"slices"
)

// The status in a line of an access log is kept in these forms beside HTTP/1.1" 200:
//
//	GET /users 200 12 ms            right after the target of the request
//	| 200 | 12ms | GET "/users"     a column of its own before the request
//	TCP_MISS/200                    after the name that Squid gives the result
//	0/0/1/2/3 200                   after the five times of HAProxy

// target appends the target of a request, and gives the column before it the status that it had.
// The target becomes /0, which is still one when it is masked again.
func (v *logVariables) target(dst []byte) []byte {
	if v.column >= 0 {
		dst = slices.Insert(dst, v.column+1, 0, 0)
		copy(dst[v.column:], v.status[:])
		v.column = -1
	}
	return v.keep(dst, []byte("/0"), targetRun)
}

// isColumn reports whether a run of digits may be a status of HTTP and fills a column.
func isColumn(dst, run, rest []byte) bool {
	return len(run) == 3 && httpStatusLen(run) > 0 && bytes.HasSuffix(dst, []byte("| ")) &&
		bytes.HasPrefix(rest, []byte(" |"))
}

// isTimers reports whether a run is five whole numbers with slashes between them.
func isTimers(run []byte) bool {
	numbers, digits := 1, 0
	for i, c := range run {
		switch {
		case isDigit(c):
			digits++
		case c == '/' && digits > 0:
			numbers, digits = numbers+1, 0
		case c != '-' || digits > 0 || i > 0 && run[i-1] == '-':
			return false
		}
	}
	return numbers == 5 && digits > 0
}

// isSquidStatus reports whether a run is like TCP_MISS/200.
func isSquidStatus(run []byte) bool {
	n := len(run) - 4
	if n < 4 || run[n] != '/' || httpStatusLen(run[n+1:]) == 0 {
		return false
	}
	for _, c := range run[:n] {
		if !isLetter(c) && c != '_' {
			return false
		}
	}
	return bytes.EqualFold(run[:4], []byte("tcp_")) || bytes.EqualFold(run[:4], []byte("none"))
}

// httpStatusLen is 3 if a text begins with a status of HTTP and no longer number, and else 0.
func httpStatusLen(text []byte) int {
	if len(text) < 3 || text[0] < '1' || text[0] > '5' || !isDigit(text[1]) || !isDigit(text[2]) {
		return 0
	}
	return 3
}

// logUnits are the units after which a number is no status of HTTP.
var logUnits = []string{"ms", "msec", "us", "µs", "μs", "ns", "s", "sec", "b", "bytes", "kb", "mb", "kib", "mib", "%"}

// beginsWithUnit reports whether a unit follows a number.
func beginsWithUnit(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " ")
	return slices.ContainsFunc(logUnits, func(unit string) bool {
		return beginsWithWord(rest, unit)
	})
}

// beginsWithWord reports whether a text begins with a word, in small or capital letters.
func beginsWithWord(text []byte, word string) bool {
	if len(text) < len(word) || len(text) > len(word) && isAlphanumeric(text[len(word)]) {
		return false
	}
	for i := range len(word) {
		if c := text[i]; c != word[i] && (!isLetter(c) || c|0x20 != word[i]) {
			return false
		}
	}
	return true
}
