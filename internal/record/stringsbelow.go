package record

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// stringsBelow iterates over the strings in an object or a list that a jsonScanner has found to be
// valid, in order, and over the numbers and booleans where these count. A list that consists of
// integers from 0 to 255 represents the text with these bytes, as systemd's journal writes
// unprintable text. It owns scratch memory, so each goroutine needs its own.
type stringsBelow struct {
	scanner jsonScanner // skips values
	below   below
	isWhole bool                                 // numbers and booleans count
	found   func(start, end int, kind foundKind) // is told of each value that counts
	omitted int                                  // numbers, booleans and nulls that do not count
	scratch []byte
}

// A foundKind is how the text of a value is written.
type foundKind uint8

const (
	foundString  foundKind = iota
	foundBytes             // as a list of bytes
	foundLiteral           // as it is
)

// begin says in what values are, and what counts of them.
func (s *stringsBelow) begin(src []byte, of below) {
	s.scanner.src, s.below, s.isWhole, s.omitted = src, of, slices.Contains(of.whole, "*"), 0
}

// value goes over the value at i, and returns the index after it.
func (s *stringsBelow) value(i int) (end int) {
	src := s.scanner.src
	switch src[i] {
	case '"':
		end = jsontext.SkipString(src, i)
		s.found(i, end, foundString)
		return end
	case '{':
		return s.object(i)
	case '[':
		if end = byteListEnd(src, i); end > 0 && !s.isWhole {
			s.found(i, end, foundBytes)
			return end
		}
		return s.list(i)
	}
	if end = s.scanner.value(i, 0, false); s.isWhole && src[i] != 'n' {
		s.found(i, end, foundLiteral)
	} else {
		s.omitted++
	}
	return end
}

func (s *stringsBelow) object(i int) (end int) {
	src := s.scanner.src
	i = jsontext.SkipSpace(src, i+1)
	for src[i] == '"' {
		if s.below.isZero() {
			i = jsontext.SkipSpace(src, jsontext.SkipSpace(src, jsontext.SkipString(src, i))+1) // the colon
			i = s.value(i)
		} else {
			i = s.member(i)
		}
		if i = jsontext.SkipSpace(src, i); src[i] == ',' {
			i = jsontext.SkipSpace(src, i+1)
		}
	}
	return i + 1
}

// member goes over the member whose name is at i, as far as it counts.
func (s *stringsBelow) member(i int) (end int) {
	name, i := jsontext.Unquote(&s.scanner.name, s.scanner.src, i)
	inside, isWhole, counts := s.below.of(name)
	i = jsontext.SkipSpace(s.scanner.src, jsontext.SkipSpace(s.scanner.src, i)+1) // the colon
	if !counts {
		return s.scanner.value(i, 0, false)
	}
	outer, wasWhole := s.below, s.isWhole
	s.below, s.isWhole = inside, wasWhole || isWhole
	end = s.value(i)
	s.below, s.isWhole = outer, wasWhole
	return end
}

func (s *stringsBelow) list(i int) (end int) {
	src := s.scanner.src
	i = jsontext.SkipSpace(src, i+1)
	for src[i] != ']' {
		if i = jsontext.SkipSpace(src, s.value(i)); src[i] == ',' {
			i = jsontext.SkipSpace(src, i+1)
		}
	}
	return i + 1
}

// appendText appends the text of what was found.
func (s *stringsBelow) appendText(dst []byte, start, end int, kind foundKind) []byte {
	src := s.scanner.src
	switch kind {
	case foundBytes:
		return appendByteList(dst, src[start:end])
	case foundLiteral:
		return append(dst, src[start:end]...)
	}
	text, _ := jsontext.Unquote(&s.scratch, src, start)
	return append(dst, text...)
}

func (s *stringsBelow) release() {
	s.scanner.src, s.scanner.name, s.scratch = nil, KeepScratch(s.scanner.name), KeepScratch(s.scratch)
}

// byteListEnd returns the index after the list at src[i:], if it has bytes and nothing else; else
// 0.
func byteListEnd(src []byte, i int) int {
	for i = jsontext.SkipSpace(src, i+1); i < len(src); i = jsontext.SkipSpace(src, i+1) {
		n, start := 0, i
		for ; i < len(src) && '0' <= src[i] && src[i] <= '9' && i < start+3; i++ {
			n = 10*n + int(src[i]-'0')
		}
		if i == start || n > 255 {
			return 0
		}
		switch i = jsontext.SkipSpace(src, i); {
		case i == len(src) || src[i] != ',' && src[i] != ']':
			return 0
		case src[i] == ']':
			return i + 1
		}
	}
	return 0
}

// appendByteList appends the bytes of a list for which byteListEnd has said where it ends.
func appendByteList(dst, list []byte) []byte {
	n, isNumber := 0, false
	for _, c := range list {
		switch {
		case '0' <= c && c <= '9':
			n, isNumber = 10*n+int(c-'0'), true
		case isNumber:
			dst, n, isNumber = append(dst, byte(n)), 0, false
		}
	}
	return dst
}
