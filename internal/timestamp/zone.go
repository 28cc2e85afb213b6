package timestamp

import "strings"

// readZone reads the zone that may stand behind a time: Z, +01, +0100 or +01:00, the latter two
// also behind a space, and UTC or GMT, with such a difference or none. Other names of zones are
// passed over where a year stands behind them, as date writes it, or nothing: what they mean is not
// known.
func (r *momentReader) readZone() {
	before := r.at
	r.zoneAt = before
	r.one(" ")
	hasSpace := r.at > before
	switch c := r.peek(0); {
	case (c == 'Z' || c == 'z') && len(r.word(1)) > 0:
		r.at++
		return
	case c == '+' || c == '-':
		if r.difference(hasSpace) {
			return
		}
	case c >= 'A' && c <= 'Z' && hasSpace:
		if r.zoneName() {
			return
		}
	}
	r.at, r.zone = before, 0
}

// difference reads how far a zone is from UTC.
func (r *momentReader) difference(whole bool) bool {
	sign := 1
	if r.peek(0) == '-' {
		sign = -1
	}
	r.at++
	var hours, minutes int
	switch n := r.digits(); {
	case n == 4:
		r.number(2, &hours)
		r.number(2, &minutes)
	case n == 2 && r.isNext(2, ':') && isDigit(r.peek(3)) && isDigit(r.peek(4)):
		r.number(2, &hours)
		r.at++
		r.number(2, &minutes)
	case n == 2 && !whole:
		r.number(2, &hours)
	default:
		return false
	}
	r.zone = sign * (hours*3600 + minutes*60)
	return hours <= 24 && minutes <= 60 && !isWordByte(r.peek(0))
}

// zoneName reads the name of a zone.
func (r *momentReader) zoneName() bool {
	n := 0
	for isLetter(r.peek(n)) {
		n++
	}
	name := string(r.text[r.at : r.at+n])
	if name == "UTC" || name == "GMT" {
		r.at += n
		if c := r.peek(0); c == '+' || c == '-' {
			return r.difference(false)
		}
		return true
	}
	behind := r.at + n
	if n < 3 || n > 5 || behind < len(r.text) && !(r.hasWeekday && r.isNext(n, ' ') && isYear(r.text[behind+1:])) {
		return false
	}
	r.at = behind
	return true
}

// americanZones are the zones that RFC 822 names, in hours from UTC.
var americanZones = map[string]int{
	"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "UT": 0,
}

// american reads one of these, if it ends the text.
func (r *momentReader) american() bool {
	name := strings.TrimPrefix(string(r.text[r.zoneAt:]), " ")
	if hours, ok := americanZones[name]; ok {
		r.at, r.zone = len(r.text), hours*3600
	}
	return true
}

func isYear(text []byte) bool {
	r := momentReader{text: text}
	return r.digits() == 4
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var (
	months = []string{
		"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
	}
	weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// name reads one of some names of three letters, and returns its number, or -1.
func (r *momentReader) name(names []string) int {
	word := r.word(3)
	if word == nil || !isLetter(word[0]) || !isLetter(word[1]) || !isLetter(word[2]) {
		return -1
	}
	lower := [3]byte{word[0] | 0x20, word[1] | 0x20, word[2] | 0x20}
	for i, name := range names {
		if name == string(lower[:]) {
			r.at += 3
			return i
		}
	}
	return -1
}

// peek is the byte n places ahead; 0 behind the end.
func (r *momentReader) peek(n int) byte {
	if r.at+n < len(r.text) {
		return r.text[r.at+n]
	}
	return 0
}

func (r *momentReader) isNext(n int, c byte) bool { return r.peek(n) == c }

// digits counts the digits that follow.
func (r *momentReader) digits() int {
	n := 0
	for isDigit(r.peek(n)) {
		n++
	}
	return n
}

// number reads a number of that many digits.
func (r *momentReader) number(digits int, to *int) bool {
	n := 0
	for range digits {
		c := r.peek(0)
		if !isDigit(c) {
			return false
		}
		n = n*10 + int(c-'0')
		r.at++
	}
	*to = n
	return digits > 0
}

// one reads one of some bytes, if there are any. A space may be several, as before a day of one
// digit.
func (r *momentReader) one(of string) bool {
	if of == "" {
		return true
	}
	for i := range len(of) {
		if r.at < len(r.text) && r.text[r.at] == of[i] {
			for r.at++; of[i] == ' ' && r.isNext(0, ' '); {
				r.at++
			}
			return true
		}
	}
	return false
}

// literal reads these bytes.
func (r *momentReader) literal(s string) bool {
	if end := r.at + len(s); end <= len(r.text) && string(r.text[r.at:end]) == s {
		r.at = end
		return true
	}
	return false
}
