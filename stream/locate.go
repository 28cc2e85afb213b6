package stream

import "bytes"

// locate returns the span of the value that steps lead to, in src[from:], which must be the start of a valid JSON
// value. Where an object repeats a key the last one counts, as in encoding/json and as RFC 8259 §4 says that
// many implementations do. ok is false if there is no such value.
//
// It relies on src being valid JSON: on anything else its answer means nothing, though it never reads outside src.
func locate(src []byte, from int, steps []step, scratch *[]byte) (start, end int, ok bool) {
	start = from
	for _, s := range steps {
		switch src[start] {
		case '{':
			start, ok = member(src, start, s.key, scratch)
		case '[':
			start, ok = element(src, start, s.index)
		default:
			ok = false
		}
		if !ok {
			return 0, 0, false
		}
	}
	return start, skipValue(src, start), true
}

// member returns where the value of the last member named key starts, in the object that starts at src[i].
func member(src []byte, i int, key string, scratch *[]byte) (at int, ok bool) {
	i = skipSpace(src, i+1)
	for i < len(src) && src[i] == '"' {
		end := skipString(src, i)
		name := src[i+1 : end-1]
		i = skipSpace(src, skipSpace(src, end)+1) // past the colon
		if sameKey(name, key, scratch) {
			at, ok = i, true
		}
		i = skipSpace(src, skipValue(src, i))
		if i < len(src) && src[i] == ',' {
			i = skipSpace(src, i+1)
		}
	}
	return at, ok
}

// element returns where element n starts, in the array that starts at src[i].
func element(src []byte, i, n int) (at int, ok bool) {
	if n < 0 {
		return 0, false
	}
	i = skipSpace(src, i+1)
	for i < len(src) && src[i] != ']' {
		if n == 0 {
			return i, true
		}
		n--
		i = skipSpace(src, skipValue(src, i))
		if i < len(src) && src[i] == ',' {
			i = skipSpace(src, i+1)
		}
	}
	return 0, false
}

// sameKey compares a raw member name with key; only a name that has an escape in it needs unescaping first.
func sameKey(raw []byte, key string, scratch *[]byte) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw) == key
	}
	name, ok := appendUnquoted((*scratch)[:0], raw)
	*scratch = name
	return ok && string(name) == key
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that starts at src[i].
func skipString(src []byte, i int) int {
	i++
	for i < len(src) {
		n := bytes.IndexByte(src[i:], '"')
		if n < 0 {
			return len(src)
		}
		quote := i + n
		backslashes := 0
		for quote-1-backslashes >= i && src[quote-1-backslashes] == '\\' {
			backslashes++
		}
		i = quote + 1
		if backslashes%2 == 0 {
			return i
		}
	}
	return len(src)
}

// skipValue returns the index behind the value that starts at src[i].
func skipValue(src []byte, i int) int {
	if i >= len(src) {
		return len(src)
	}
	switch src[i] {
	case '"':
		return skipString(src, i)
	case '{', '[':
		return skipNested(src, i)
	}
	for i < len(src) { // a number or a literal
		switch src[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}

func skipNested(src []byte, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '"':
			i = skipString(src, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(src)
}
