package sketch

import "bytes"

// name appends a run of letters, digits and signs that has a digit. It becomes 0 except for words
// in it which tell what happened and not to whom, each with the signs at its sides:
//
//   - a part between colons without a digit, after a part with one: 123:INFO:root, eth0:up. Where
//     the run has / or @ it is the part of an address, and letters from a to f may be hexadecimal.
//   - a level or an outcome beside a colon, right after a number, or at the end right after a part
//     with a digit: failed:3, 123-ERROR-sync, web1.ERROR
//   - a word at the end that announces a status: span1.status
func (v *logVariables) name(dst, run []byte) []byte {
	p := nameParts{run: run, isAddress: bytes.ContainsAny(run, "/@"), last: len(bytes.TrimRight(run, variableSigns))}
	from, kind := 0, otherRun
	for p.next() {
		dst = v.maskPart(dst, run[from:p.start], from == 0, false)
		dst = append(dst, run[p.start:p.end]...)
		from, kind = p.end, p.kind
	}
	if from < p.last {
		kind = maskedRun
	}
	dst = v.maskPart(dst, run[from:], from == 0, true)
	v.last, v.lastEnd, v.dates = kind, len(dst), v.dates[:0]
	return dst
}

// maskPart appends what stands in a name before, between and after the words that are kept, with
// the signs beside these.
func (v *logVariables) maskPart(dst, part []byte, isFirst, isLast bool) []byte {
	tail := bytes.TrimLeft(part, variableSigns)
	if len(tail) == 0 {
		return append(dst, part...)
	}
	if isFirst {
		dst = v.maskDates(dst)
	} else {
		dst = append(dst, part[:len(part)-len(tail)]...)
	}
	dst = append(dst, '0')
	if !isLast {
		dst = append(dst, tail[len(bytes.TrimRight(tail, variableSigns)):]...)
	}
	return dst
}

// nameParts finds the words in a name that are kept.
type nameParts struct {
	run       []byte
	isAddress bool // the run has / or @
	last      int  // where its last part ends
	at        int
	hasDigit  bool // there was a digit before
	digitPart bool // there was one in the part before
	number    bool // the part before was a number

	start, end int    // the word
	kind       logRun // what it is for the run that follows
}

// next finds the next word.
func (p *nameParts) next() bool {
	for p.at < len(p.run) {
		if !isAlphanumeric(p.run[p.at]) {
			p.at++
			continue
		}
		start := p.at
		if end := p.fieldEnd(); end > 0 {
			p.found(end)
			return true
		}
		letters, digits := false, false
		for ; p.at < len(p.run) && isAlphanumeric(p.run[p.at]); p.at++ {
			if isDigit(p.run[p.at]) {
				digits = true
			} else {
				letters = true
			}
		}
		if !digits && p.isKept(start, p.at) {
			end := p.at
			p.at = start
			p.found(end)
			return true
		}
		p.digitPart, p.number, p.hasDigit = digits, !letters, p.hasDigit || digits
	}
	return false
}

// found takes the bytes up to end as a word.
func (p *nameParts) found(end int) {
	p.start, p.end, p.at = p.at, end, end
	p.kind, p.digitPart, p.number = p.announces(end), false, false
}

// fieldEnd is where the word ends that fills the space between two colons, or 0.
func (p *nameParts) fieldEnd() int {
	if !p.hasDigit || p.isAddress || p.run[p.at-1] != ':' {
		return 0
	}
	end := p.at
	for i := p.at; i < len(p.run) && p.run[i] != ':'; i++ {
		if isDigit(p.run[i]) {
			return 0
		}
		if isLetter(p.run[i]) {
			end = i + 1
		}
	}
	word := p.run[p.at:end]
	if isHexLetters(word) || kindOfLetters(lastPart(word)) == dateRun {
		return 0
	}
	return end
}

// isHexLetters reports whether a text may be letters of a hexadecimal number.
func isHexLetters(text []byte) bool {
	for _, c := range text {
		if !isLetter(c) || c|0x20 > 'f' {
			return false
		}
	}
	return true
}

// isKept reports whether a part of letters is kept though it is no field.
func (p *nameParts) isKept(start, end int) bool {
	if isOutcome(p.run[start:end]) {
		besideColon := start > 0 && p.run[start-1] == ':' || end < len(p.run) && p.run[end] == ':'
		if besideColon || p.digitPart && end == p.last || p.number && !p.isAddress {
			return true
		}
	}
	return p.hasDigit && p.announces(end) != otherRun
}

// announces is what the word that ends there is for the run that follows.
func (p *nameParts) announces(end int) logRun {
	if p.isAddress || end != p.last {
		return otherRun
	}
	switch kind := kindOfLetters(lastPart(p.run[:end])); kind {
	case codeRun, statusRun, flagRun:
		return kind
	}
	return otherRun
}

func isAlphanumeric(c byte) bool { return logClasses[c]&(logLetter|logDigit) != 0 }
