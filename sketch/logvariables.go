package sketch

import (
	"bytes"
	"slices"
)

// logVariables is the step that masks what varies between the lines of a log, and nothing that
// tells one kind of line from another. Beside what variables masks these become a single 0:
//
//   - paths, URLs and addresses of mail without a digit: /var/log, https://host/, root@host
//   - the names of days and months next to what is masked: Sun Jul 10
//
// A number that is a status stays what it is, since 200 and 500 are two kinds: one of up to five
// digits after a word that ends in status, code, errno, rc or exit, and one of three digits after
// HTTP/1.1, which becomes http/0. Lines are masked one by one.
type logVariables struct {
	last    logRun // the run before
	lastEnd int    // where it ends in the output
	dates   []int  // where names of days and months begin there that a number may follow
}

// A logRun is what a run of variable bytes is.
type logRun uint8

const (
	otherRun  logRun = iota
	maskedRun        // a variable
	statusRun        // a number after it is a status
	httpRun          // a number of three digits after it is one
	dateRun          // the name of a day or a month
)

func newLogVariables() pass { return new(logVariables).append }

func (v *logVariables) append(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text))
	v.begin()
	for i := 0; i < len(text); {
		start, digits := i, uint8(0)
		for i < len(text) && variable[text[i]] != 0 {
			digits |= variable[text[i]]
			i++
		}
		if i > start {
			dst = v.run(dst, text[start:i], digits&variableDigit != 0)
		}
		start = i
		for i < len(text) && variable[text[i]] == 0 {
			if text[i] == '\n' {
				v.begin()
			}
			i++
		}
		dst = append(dst, text[start:i]...)
	}
	return dst
}

// begin begins a line.
func (v *logVariables) begin() { v.last, v.dates = otherRun, v.dates[:0] }

// run appends a run, masked if it is a variable.
func (v *logVariables) run(dst, run []byte, hasDigit bool) []byte {
	isNextTo := (v.last == dateRun || v.last == maskedRun) && isDateGap(dst[v.lastEnd:])
	if v.last != dateRun || !isNextTo {
		v.dates = v.dates[:0]
	}
	kind := kindOfRun(run, hasDigit, v.last)
	switch {
	case kind == dateRun && v.last == maskedRun && isNextTo:
		kind = maskedRun
		fallthrough
	case kind == maskedRun:
		dst = append(v.maskDates(dst), '0')
	case kind == httpRun && hasDigit:
		dst = append(dst, "http/0"...)
	case kind == dateRun:
		v.dates = append(v.dates, len(dst))
		fallthrough
	default:
		dst = append(dst, run...)
	}
	v.last, v.lastEnd = kind, len(dst)
	return dst
}

// kindOfRun is what a run is that stands after one of another kind.
func kindOfRun(run []byte, hasDigit bool, last logRun) logRun {
	switch {
	case !hasDigit && (run[0] == '/' || bytes.Contains(run, []byte("://")) || isAddress(run)):
		return maskedRun
	case !hasDigit && isDate(run):
		return dateRun
	case len(bytes.Trim(run, variableSigns)) == 0 && last != maskedRun && last != dateRun:
		return last // it is nothing but signs
	case !hasDigit && isStatusWord(run):
		return statusRun
	case isHTTP(run):
		return httpRun
	case hasDigit && !isStatusNumber(run, last) && !hasStatus(run):
		return maskedRun
	}
	return otherRun
}

// maskDates masks the names of days and months right before a number.
func (v *logVariables) maskDates(dst []byte) []byte {
	for i := len(v.dates) - 1; i >= 0; i-- {
		at := v.dates[i]
		end := at
		for end < len(dst) && variable[dst[end]] != 0 {
			end++
		}
		dst[at] = '0'
		dst = append(dst[:at+1], dst[end:]...)
	}
	v.dates = v.dates[:0]
	return dst
}

// isDateGap reports whether the bytes may stand between the parts of a date.
func isDateGap(between []byte) bool {
	return len(between) > 0 && len(between) <= 3 && len(bytes.Trim(between, " ,")) == 0
}

// isHTTP reports whether a run is HTTP, or a version of it.
func isHTTP(run []byte) bool {
	return len(run) >= 4 && len(run) <= 8 && bytes.EqualFold(run[:4], []byte("http")) &&
		(len(run) == 4 || len(run) > 5 && run[4] == '/')
}

// isStatusNumber reports whether a run is a number that is a status by the run before it.
func isStatusNumber(run []byte, last logRun) bool {
	run = bytes.TrimPrefix(run, []byte(":"))
	switch last {
	case statusRun:
		return isShortNumber(run)
	case httpRun:
		return len(run) == 3 && isShortNumber(run) && run[0] >= '1' && run[0] <= '5'
	}
	return false
}

// isShortNumber reports whether a run is a number of up to five digits.
func isShortNumber(run []byte) bool {
	run = bytes.TrimPrefix(run, []byte("-"))
	if len(run) == 0 || len(run) > 5 {
		return false
	}
	for _, c := range run {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// hasStatus reports whether a run has a name and a status, as status:500.
func hasStatus(run []byte) bool {
	n := bytes.LastIndexByte(run, ':') + 1
	return n > 1 && isShortNumber(run[n:]) && isStatusWord(run[:n])
}

// statusWords are the last parts of names after which a number is a status.
var statusWords = [][]byte{[]byte("status"), []byte("code"), []byte("errno"), []byte("rc"), []byte("exit")}

// isStatusWord reports whether a run ends in such a word: status:, exit_code, statuscode.
func isStatusWord(run []byte) bool {
	run = bytes.TrimRight(run, ":.-_")
	for _, word := range statusWords {
		n := len(run) - len(word)
		if n < 0 || !bytes.EqualFold(run[n:], word) {
			continue
		}
		if len(word) > 2 || n == 0 || variable[run[n-1]] != 0 && !isLetter(run[n-1]) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isAddress reports whether a run is somebody at a host.
func isAddress(run []byte) bool {
	n := bytes.IndexByte(run, '@')
	return n > 0 && n < len(run)-1
}

// isDate reports whether a run is the name of a day or a month, in English, in full or by its first
// three letters.
func isDate(run []byte) bool {
	if len(run) < 3 || len(run) > 9 {
		return false
	}
	var lower [9]byte
	for i, c := range run {
		if !isLetter(c) {
			return false
		}
		lower[i] = c | 0x20
	}
	name := string(lower[:len(run)])
	full, isName := dateNames[name[:3]]
	return isName && (len(name) == 3 || name == full)
}

var dateNames = map[string]string{
	"mon": "monday", "tue": "tuesday", "wed": "wednesday", "thu": "thursday", "fri": "friday", "sat": "saturday",
	"sun": "sunday", "jan": "january", "feb": "february", "mar": "march", "apr": "april", "may": "may", "jun": "june",
	"jul": "july", "aug": "august", "sep": "september", "oct": "october", "nov": "november", "dec": "december",
}
