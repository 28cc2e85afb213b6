// Package timestamp reads times as records and lines of logs write them: a time that is
// a whole field, and the first time at the beginning of a line.
package timestamp

import (
	"bytes"
	"time"
)

// A moment is a date and a time of day as they are written: in fields that have nothing else
// (Parse), and in lines of logs (Find).
type moment struct {
	year       int // noYear if none is written
	month, day int
	second     int // of the day, in the zone
	nano       int // beyond the second
	zone       int // seconds that it is east of UTC; where none is written it is UTC
	hasClock   bool
}

const noYear = -1

// unix is the second from 1970 of a moment with a year. The 29th of February of a year that has
// none is the 1st of March.
func (m moment) unix() int64 {
	return time.Date(m.year, time.Month(m.month), m.day, 0, 0, m.second-m.zone, 0, time.UTC).Unix()
}

// isDate reports whether the calendar has such a day.
func (m moment) isDate() bool {
	if m.month < 1 || m.month > 12 || m.day < 1 {
		return false
	}
	if m.month == 2 && m.day == 29 && m.year != noYear {
		return m.year%4 == 0 && (m.year%100 != 0 || m.year%400 == 0)
	}
	return m.day <= daysOfMonth[m.month-1]
}

var daysOfMonth = [12]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// LeapYear is a leap year in which no log was written.
const LeapYear = 1972

// A momentReader reads forms of moments from the beginning of a text.
type momentReader struct {
	text       []byte
	at         int
	hasWeekday bool
	zoneAt     int // where a zone may begin
	moment
}

// readMoment reads the moment that a text begins with, and returns where it ends, or 0 if the text
// does not begin with one.
func readMoment(text []byte) (m moment, end int) {
	r := momentReader{text: text, moment: moment{year: noYear}}
	if !r.read() || !r.isDate() {
		return m, 0
	}
	return r.moment, r.at
}

// read looks at the first bytes to see which form it may be.
func (r *momentReader) read() bool {
	switch n := r.digits(); {
	case n == 4 || n == 8 || n == 14:
		return r.yearFirst(n)
	case n == 6: // 081109 203615
		return r.yearOfTwo() && r.number(2, &r.month) && r.number(2, &r.day) && r.one(" ") && r.clock(true)
	case n == 2 && r.isNext(2, '/') && isDigit(r.peek(3)): // 17/06/09 20:10:40
		return r.yearOfTwo() && r.one("/") && r.number(2, &r.month) && r.one("/") && r.number(2, &r.day) &&
			r.one(" ") && r.clock(false)
	case n == 2 && r.isNext(2, '-') && isDigit(r.peek(3)): // 03-17 16:13:38.811
		return r.number(2, &r.month) && r.one("-") && r.number(2, &r.day) && r.one(" ") && r.clock(false)
	case n == 1 || n == 2:
		return r.dayFirst(n)
	case n > 0:
		return false
	}
	if bytes.IndexByte([]byte("IWEF"), r.peek(0)) >= 0 && isDigit(r.peek(1)) {
		return r.ofKubernetes()
	}
	if r.hasWeekday = r.name(weekdays) >= 0; r.hasWeekday { // Sun Dec 04, or Thu, 29 Feb
		r.one(",")
		if !r.one(" ") {
			return false
		}
		if n := r.digits(); n == 1 || n == 2 {
			return r.dayFirst(n)
		}
	}
	return r.monthFirst()
}

// yearFirst reads 2015-10-18 18:01:47, with any of -, / and . in the date, and the same without
// them.
func (r *momentReader) yearFirst(digits int) bool {
	r.number(4, &r.year)
	separator := ""
	if digits == 4 {
		switch r.peek(0) {
		case '-':
			separator = "-"
		case '/':
			separator = "/"
		case '.':
			separator = "."
		default:
			return false
		}
	}
	if !r.one(separator) || !r.number(2, &r.month) || !r.one(separator) || !r.number(2, &r.day) {
		return false
	}
	if digits == 14 {
		return r.clock(true)
	}
	date, between := r.at, r.peek(0)
	if r.literal(" - ") || r.one("tT _-") { // the former of gin
		clock := r.at
		if r.clock(digits == 8 || between == 'T') {
			return true
		}
		if r.at = clock; between == '-' && r.clockOfDots() {
			return true
		}
	}
	r.at = date
	return !isDigit(r.peek(0))
}

// dayFirst reads 10/Oct/2000:13:55:36 -0700, 29-Feb-2024 13:37:00 and 29 Feb 2024 13:37:00, as in
// RFC 822 also with two digits of the year and an American zone.
func (r *momentReader) dayFirst(digits int) bool {
	if !r.number(digits, &r.day) || !r.one(" -/") {
		return false
	}
	if r.month = 1 + r.name(months); r.month == 0 || !r.one(" -/") {
		return false
	}
	if r.digits() == 4 && !(r.number(4, &r.year) && r.one(": ")) {
		return false
	}
	if r.digits() == 2 && r.isNext(2, ' ') && !(r.yearOfTwo() && r.one(" ")) {
		return false
	}
	if r.year == noYear {
		return r.clock(false)
	}
	return r.clock(false) && r.american()
}

// monthFirst reads Jun 14 15:16:01, with the year behind the day. Behind the time a year stands
// with a weekday alone, as in Sun Dec 04 04:47:44 2005: without one it may be any number.
func (r *momentReader) monthFirst() bool {
	if r.month = 1 + r.name(months); r.month == 0 || !r.one(" ") {
		return false
	}
	if n := r.digits(); n > 2 || !r.number(n, &r.day) {
		return false
	}
	r.one(",")
	if !r.one(" ") {
		return false
	}
	if r.digits() == 4 && !(r.number(4, &r.year) && r.one(" ")) {
		return false
	}
	if !r.clock(false) {
		return false
	}
	if r.hasWeekday && r.year == noYear && r.isNext(0, ' ') && isYear(r.text[r.at+1:]) {
		r.at++
		r.number(4, &r.year)
	}
	return true
}

// ofKubernetes reads I0229 13:37:00.123456, where the first letter is how grave it is.
func (r *momentReader) ofKubernetes() bool {
	r.at++
	switch r.digits() {
	case 8:
		r.number(4, &r.year)
	case 4:
	default:
		return false
	}
	return r.number(2, &r.month) && r.number(2, &r.day) && r.one(" ") && r.clock(false)
}

// clock reads a time of day: 15:16, with seconds and parts of them, or where it may be bare 151601;
// then AM or PM, and a zone.
func (r *momentReader) clock(bare bool) bool {
	var hour, minute, second int
	n := r.digits()
	switch {
	case bare && (n == 4 || n == 6):
		r.number(2, &hour)
		r.number(2, &minute)
		if n == 6 {
			r.number(2, &second)
		}
	case n == 1 || n == 2:
		if !r.number(n, &hour) || !r.one(":") || r.digits() != 2 || !r.number(2, &minute) {
			return false
		}
		if r.isNext(0, ':') && isDigit(r.peek(1)) {
			if r.at++; r.digits() != 2 || !r.number(2, &second) {
				return false
			}
		}
	default:
		return false
	}
	return r.restOfClock(hour, minute, second)
}

// clockOfDots reads 15.42.50.363779.
func (r *momentReader) clockOfDots() bool {
	var hour, minute, second int
	return r.digits() == 2 && r.number(2, &hour) && r.one(".") && r.digits() == 2 && r.number(2, &minute) &&
		r.one(".") && r.digits() == 2 && r.number(2, &second) && r.restOfClock(hour, minute, second)
}

// restOfClock reads what may stand behind the seconds. Of a time that there is not it leaves
// nothing.
func (r *momentReader) restOfClock(hour, minute, second int) bool {
	if hour > 23 || minute > 59 || second > 60 { // 60 is a leap second
		return false
	}
	if (r.isNext(0, '.') || r.isNext(0, ',')) && isDigit(r.peek(1)) {
		r.at++
		r.fraction()
	}
	if hour >= 1 && hour <= 12 {
		switch half := r.word(3); string(half) {
		case " AM", " am":
			hour, r.at = hour%12, r.at+len(half)
		case " PM", " pm":
			hour, r.at = hour%12+12, r.at+len(half)
		}
	}
	r.second, r.hasClock = hour*3600+minute*60+second, true
	r.readZone()
	return true
}

// fraction reads the digits behind the seconds.
func (r *momentReader) fraction() {
	r.nano = 0
	for unit := 100_000_000; isDigit(r.peek(0)); unit /= 10 {
		r.nano += int(r.peek(0)-'0') * unit
		r.at++
	}
}

// yearOfTwo reads the last two digits of a year from 1970 on.
func (r *momentReader) yearOfTwo() bool {
	if !r.number(2, &r.year) {
		return false
	}
	if r.year += 1900; r.year < 1970 {
		r.year += 100
	}
	return true
}

// word is what follows up to n bytes, if that is the end of a word.
func (r *momentReader) word(n int) []byte {
	if len(r.text)-r.at < n || isWordByte(r.peek(n)) {
		return nil
	}
	return r.text[r.at : r.at+n]
}

func isWordByte(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
