package sketch

import (
	"bytes"
	"slices"
)

// logVariables is the step that masks what varies between the lines of a log, and nothing that
// tells one kind of line from another. Like variables it makes runs with a digit a single 0, and
// also these:
//
//   - paths, URLs and addresses of mail without a digit: /var/log, https://host/, root@host
//   - the names of days and months next to what is masked: Sun Jul 10
//
// It keeps what may say the opposite in another line:
//
//   - the words in a run with a digit, such as the level in 123:INFO:root (see name)
//   - a number that is a status, since 200 and 500 are two kinds (see statusAt)
//   - the status column of some access logs (see target)
//   - pictographs such as ✓ and ✗, which become words (see pictograph)
//
// Lines are masked one by one. What is masked stays as it is when it is masked again, and so does
// what is kept.
type logVariables struct {
	last    logRun
	lastEnd int     // where the last run ends in the output
	dates   []int   // where names of days and months begin there that a number may follow
	column  int     // where a 0 is that becomes a status again if a request follows, or -1
	status  [3]byte // the digits of that status
	foreign bool    // the line has had a byte beyond ASCII
}

// A logRun is what a run is for the runs after it.
type logRun uint8

const (
	otherRun  logRun = iota
	maskedRun        // a variable
	dateRun          // the name of a day or a month
	codeRun          // a number after it is a status
	statusRun        // the same, but after "of" only a status of HTTP is one
	httpRun          // a status of HTTP after it is one
	methodRun        // a method of HTTP: a path after it is the target of a request
	targetRun        // the target of a request: a status of HTTP after it is one
	flagRun          // a 0 or 1 after it is no or yes
	linkRun          // a word that may stand between a status and what announces it
	ofRun            // the word "of", which is one of these
)

// The classes of bytes. A run consists of letters, digits and variableSigns.
const (
	logLetter uint8 = 1 << iota
	logDigit
	logColon
	logSlash
	logAt
	logSign // any of variableSigns
	logNewline
	logForeign // not ASCII

	inLogRun = logLetter | logDigit | logSign
)

const logDigits = "0123456789"

var logClasses = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = logForeign
		case variable[c] == variableDigit:
			table[c] = logDigit
		case isLetter(byte(c)):
			table[c] = logLetter
		case variable[c] != 0:
			table[c] = logSign
		}
	}
	table[':'] |= logColon
	table['/'] |= logSlash
	table['@'] |= logAt
	table['\n'] = logNewline
	return table
}()

func newLogVariables() pass { return new(logVariables).append }

func (v *logVariables) append(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text))
	v.begin()
	for i := 0; i < len(text); {
		start, classes := i, uint8(0)
		for i < len(text) && logClasses[text[i]]&inLogRun != 0 {
			classes |= logClasses[text[i]]
			i++
		}
		if i > start {
			dst = v.run(dst, text[start:i], text[i:], classes)
		}
		start, classes = i, 0
		for i < len(text) && logClasses[text[i]]&inLogRun == 0 {
			classes |= logClasses[text[i]]
			i++
		}
		if classes == 0 {
			dst = append(dst, text[start:i]...)
		} else {
			dst = v.gap(dst, text[start:i])
		}
	}
	return dst
}

// begin begins a line.
func (v *logVariables) begin() {
	v.last, v.dates, v.column, v.foreign = otherRun, v.dates[:0], -1, false
}

// run appends a run, masked if it is a variable.
func (v *logVariables) run(dst, run, rest []byte, classes uint8) []byte {
	if v.last == dateRun && !isDateGap(dst[v.lastEnd:]) {
		v.dates = v.dates[:0]
	}
	switch {
	case isPath(run, classes):
		if v.last == methodRun {
			return v.target(dst)
		}
		return v.mask(dst)
	case classes&logDigit != 0:
		return v.number(dst, run, rest, classes)
	case classes&logAt != 0 && isAddress(run):
		return v.mask(dst)
	case classes&logLetter != 0:
		return v.word(dst, run, classes)
	case v.last != maskedRun && v.last != dateRun:
		return append(dst, run...) // signs, as if they were no run
	}
	return v.keep(dst, run, otherRun)
}

// word appends a run without a digit.
func (v *logVariables) word(dst, run []byte, classes uint8) []byte {
	kind := kindOfWord(run, classes)
	switch kind {
	case dateRun:
		if v.last == maskedRun && isDateGap(dst[v.lastEnd:]) {
			return v.mask(dst)
		}
		v.dates = append(v.dates, len(dst))
	case linkRun, ofRun:
		if v.last >= codeRun && v.last <= targetRun && v.last != methodRun {
			if kind == ofRun && v.last == statusRun {
				v.last = httpRun
			}
			return append(dst, run...)
		}
		kind = otherRun
	}
	return v.keep(dst, run, kind)
}

// number appends a run with a digit that is no path.
func (v *logVariables) number(dst, run, rest []byte, classes uint8) []byte {
	if at := v.statusAt(dst, run, rest, classes); at >= 0 {
		return v.announced(dst, run, at)
	}
	switch {
	case classes&logLetter == 0 && classes&logSlash != 0 && isTimers(run):
		return v.keep(dst, []byte("0/0/0/0/0"), httpRun)
	case classes == logDigit && v.column < 0 && isColumn(dst, run, rest):
		dst = v.mask(dst)
		v.column = len(dst) - 1
		copy(v.status[:], run)
		return dst
	case classes&logLetter == 0:
		return v.mask(dst)
	case classes == logLetter|logDigit && isGlogLevel(run, rest):
		dst = append(v.keep(dst, run[:1], otherRun), ' ')
		return v.mask(dst)
	case classes&logSign == 0:
		return v.mask(dst)
	case isHTTP(run):
		return v.keep(dst, []byte("http/0"), httpRun)
	case classes&logSlash != 0 && isSquidStatus(run):
		return v.keep(dst, run, otherRun)
	}
	return v.name(dst, run)
}

// announced appends a run that ends in a status, which begins at a byte.
func (v *logVariables) announced(dst, run []byte, at int) []byte {
	if bytes.ContainsAny(run[:at], logDigits) {
		dst = v.name(dst, run[:at])
	} else {
		dst = append(dst, run[:at]...)
	}
	return v.keep(dst, run[at:], announcedBy(run[bytes.LastIndexAny(run, logDigits)+1:]))
}

// keep appends a run as it is.
func (v *logVariables) keep(dst, run []byte, kind logRun) []byte {
	if kind != dateRun {
		v.dates = v.dates[:0]
	}
	dst = append(dst, run...)
	v.last, v.lastEnd = kind, len(dst)
	return dst
}

// mask appends a run masked, together with the names of days and months right before it.
func (v *logVariables) mask(dst []byte) []byte {
	dst = append(v.maskDates(dst), '0')
	v.last, v.lastEnd = maskedRun, len(dst)
	return dst
}

func (v *logVariables) maskDates(dst []byte) []byte {
	for i := len(v.dates) - 1; i >= 0; i-- {
		at := v.dates[i]
		end := at
		for end < len(dst) && isLetter(dst[end]) {
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
	if len(between) == 0 || len(between) > 3 {
		return false
	}
	for _, c := range between {
		if c != ' ' && c != ',' {
			return false
		}
	}
	return true
}

// isPath reports whether a run is a path or a URL.
func isPath(run []byte, classes uint8) bool {
	return classes&logSlash != 0 && (run[0] == '/' || classes&logColon != 0 && bytes.Contains(run, []byte("://")))
}

// isAddress reports whether a run is somebody at a host.
func isAddress(run []byte) bool {
	n := bytes.IndexByte(run, '@')
	return n > 0 && n < len(run)-1
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
