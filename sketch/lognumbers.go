package sketch

import "bytes"

// statusAt is where the status begins with which a run ends, or -1. A status follows a word that
// announces it, in the run before or in this one before a colon, and no digit follows it:
//
//   - after a word that ends in code, status and so on: a number as in statusLen
//   - after HTTP/1.1 and after the target of a request: a number from 100 to 599 without a unit
//   - after a word such as enabled, and = or a colon: 0 or 1
func (v *logVariables) statusAt(dst, run, rest []byte, classes uint8) int {
	if v.last < codeRun && classes&logColon == 0 && !v.foreign {
		return -1
	}
	last := bytes.LastIndexAny(run, logDigits)
	at := bytes.LastIndexByte(run[:last], ':') + 1
	kind := v.last
	if at > 0 && len(bytes.TrimRight(run[:at], variableSigns)) > 0 {
		kind = announcedBy(run[:at])
	} else if v.foreign && kind < codeRun && endsInForeignStatus(dst) {
		kind = codeRun
	}
	number, n := run[at:], 0
	switch kind {
	case codeRun, statusRun:
		n = statusLen(number)
	case httpRun, targetRun:
		if n = httpStatusLen(number); beginsWithUnit(rest) {
			n = 0
		}
	case flagRun:
		if (number[0] == '0' || number[0] == '1') && (at > 0 || v.isAssigned(dst)) {
			n = 1
		}
	}
	if n <= last-at || n < len(number) && isAlphanumeric(number[n]) {
		return -1
	}
	return at
}

// isAssigned reports whether = or a colon follows the last run, or is at its end.
func (v *logVariables) isAssigned(dst []byte) bool {
	start := v.lastEnd
	for start > 0 && logClasses[dst[start-1]]&logSign != 0 {
		start--
	}
	return bytes.ContainsAny(dst[start:], "=:")
}

// announcedBy is what a part of a run up to a colon, or to its end, is for what follows it.
func announcedBy(name []byte) logRun {
	part := lastPart(bytes.TrimRight(name, variableSigns))
	if len(part) == 0 || bytes.ContainsAny(part, logDigits) ||
		bytes.ContainsAny(name, logDigits) && bytes.ContainsAny(name, "/@") {
		return otherRun
	}
	switch kind := kindOfLetters(part); kind {
	case codeRun, statusRun, flagRun:
		return kind
	}
	return otherRun
}

// statusLen is the length of the status that a text begins with, or 0: a number of up to five
// digits, which may be negative and end in .0, or a status of Windows, which is larger: hexadecimal
// like 0xC0000005, or the same as a number of 32 bits with or without a sign.
func statusLen(text []byte) int {
	n := 0
	if text[0] == '-' {
		n = 1
	} else if len(text) > 2 && text[0] == '0' && text[1]|0x20 == 'x' {
		return hexStatusLen(text)
	}
	start := n
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	digits := text[start:n]
	switch {
	case len(digits) == 0 || len(digits) > 10:
		return 0
	case len(digits) > 5 && start == 0 && (len(digits) < 10 || !isSign32(digits)):
		return 0
	}
	if n+1 < len(text) && text[n] == '.' && text[n+1] == '0' {
		for n++; n < len(text) && text[n] == '0'; n++ {
		}
	}
	return n
}

func hexStatusLen(text []byte) int {
	n := 2
	for n < len(text) && (isDigit(text[n]) || isLetter(text[n]) && text[n]|0x20 <= 'f') {
		n++
	}
	if n == 2 || n > 10 {
		return 0
	}
	return n
}

// isSign32 reports whether a number of ten digits has 32 bits of which the first is set. The
// seconds since 1970 are no such number before 2038.
func isSign32(digits []byte) bool {
	return string(digits) >= "2147483648" && string(digits) <= "4294967295"
}

// isGlogLevel reports whether a run is the level and the day with which lines of glog begin, such
// as E0229 before 10:00:01.
func isGlogLevel(run, rest []byte) bool {
	if len(run) != 5 || !isLetter(run[0]) || len(rest) < 9 || rest[0] != ' ' || rest[3] != ':' || rest[6] != ':' {
		return false
	}
	for _, i := range []int{1, 2, 4, 5, 7, 8} {
		if !isDigit(rest[i]) {
			return false
		}
	}
	for _, c := range run[1:] {
		if !isDigit(c) {
			return false
		}
	}
	return true
}
