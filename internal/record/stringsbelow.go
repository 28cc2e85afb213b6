package record

import "github.com/mithril-stream/mithril-stream/internal/jsontext"

// stringsBelow iterates over the strings in an object or a list that a jsonScanner has found to be
// valid, in order. A list that consists of integers from 0 to 255 represents the text with these
// bytes, as systemd's journal writes unprintable text. It owns scratch memory, so each
// goroutine needs its own.
type stringsBelow struct {
	scanner jsonScanner                        // skips values
	without []string                           // members that do not count
	found   func(start, end int, isBytes bool) // is told of each string
	omitted int                                // numbers, booleans and nulls
	scratch []byte
}

// begin says in what values are, and which members do not count.
func (s *stringsBelow) begin(src []byte, without []string) {
	s.scanner.src, s.without, s.omitted = src, without, 0
}

// value goes over the value at i, and returns the index after it.
func (s *stringsBelow) value(i int) (end int) {
	src := s.scanner.src
	switch src[i] {
	case '"':
		end = jsontext.SkipString(src, i)
		s.found(i, end, false)
		return end
	case '{':
		return s.object(i)
	case '[':
		if end = byteListEnd(src, i); end > 0 {
			s.found(i, end, true)
			return end
		}
		return s.list(i)
	}
	s.omitted++
	return s.scanner.value(i, 0, false)
}

func (s *stringsBelow) object(i int) (end int) {
	src := s.scanner.src
	i = jsontext.SkipSpace(src, i+1)
	for src[i] == '"' {
		counts := true
		if len(s.without) == 0 {
			i = jsontext.SkipString(src, i)
		} else {
			var name []byte
			name, i = jsontext.Unquote(&s.scanner.name, src, i)
			counts = !containsBytes(s.without, name)
		}
		i = jsontext.SkipSpace(src, jsontext.SkipSpace(src, i)+1) // the colon
		if counts {
			i = s.value(i)
		} else {
			i = s.scanner.value(i, 0, false)
		}
		if i = jsontext.SkipSpace(src, i); src[i] == ',' {
			i = jsontext.SkipSpace(src, i+1)
		}
	}
	return i + 1
}

func containsBytes(list []string, b []byte) bool {
	for _, s := range list {
		if s == string(b) {
			return true
		}
	}
	return false
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
func (s *stringsBelow) appendText(dst []byte, start, end int, isBytes bool) []byte {
	src := s.scanner.src
	if isBytes {
		return appendByteList(dst, src[start:end])
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
