package overlap

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// isSpace are the ASCII characters of the property White_Space.
var isSpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// spaceAt is the size of the white space character at text[i:], or 0 if there is another one.
func spaceAt(text []byte, i int) int {
	if text[i] < utf8.RuneSelf {
		if isSpace[text[i]] {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRune(text[i:]); unicode.IsSpace(r) {
		return size
	}
	return 0
}

func isBlank(text []byte) bool {
	for i := 0; i < len(text); {
		size := spaceAt(text, i)
		if size == 0 {
			return false
		}
		i += size
	}
	return true
}

func isASCII(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if binary.LittleEndian.Uint64(text)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
