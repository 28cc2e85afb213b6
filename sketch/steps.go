package sketch

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The steps take and return well-formed UTF-8, and append to nothing: dst is empty.

// replace is the step that puts the byte with in the place of each code point of a class, or of each run of them; 0
// puts nothing.
func replace(load func() *classTable, with byte, run bool) func() func(dst, text []byte) []byte {
	return func() func(dst, text []byte) []byte {
		r := replacer{classes: load(), with: with, run: run}
		return r.append
	}
}

type replacer struct {
	classes *classTable
	with    byte
	run     bool
}

func (r replacer) append(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text))
	replaced := false // whether the code point before was of the class
	for i := 0; i < len(text); {
		kept := r.skip(text[i:])
		if kept > 0 {
			dst = append(dst, text[i:i+kept]...)
			i += kept
			replaced = false
			continue
		}
		_, size := decodeRune(text[i:])
		i += size
		if r.with != 0 && !(r.run && replaced) {
			dst = append(dst, r.with)
		}
		replaced = true
	}
	return dst
}

// skip returns the length of the text before the first code point of the class.
func (r replacer) skip(text []byte) int {
	i := 0
	for i < len(text) {
		c := text[i]
		if c < utf8.RuneSelf {
			if !r.classes.hasASCII && i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&highs == 0 {
				i += 8
				continue
			}
			if r.classes.low[c] != classOut {
				return i
			}
			i++
			continue
		}
		class, n := r.classes.run(text[i:], len(text)-i)
		if class != classOut {
			return i
		}
		i += n
	}
	return i
}

// form is the step of a normalisation form.
func form(f norm.Form) func() func(dst, text []byte) []byte {
	return func() func(dst, text []byte) []byte {
		return func(dst, text []byte) []byte { return f.Append(dst, text...) }
	}
}

// appendFolded is the step of simple case folding.
func appendFolded(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text)+8)
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			var n int
			dst, n = appendFoldedASCII(dst, text[i:])
			i += n
			continue
		}
		r, size := decodeRune(text[i:])
		dst = appendRune(dst, foldRune(r))
		i += size
	}
	return dst
}

// newAccents makes the step that removes non-spacing marks (Mn) from the canonical decomposition and composes the
// rest.
func newAccents() func(dst, text []byte) []byte {
	marks := replacer{classes: loadMarks()}
	var a, b []byte
	return func(dst, text []byte) []byte {
		a = norm.NFD.Append(a[:0], text...)
		b = marks.append(b[:0], a)
		dst = norm.NFC.Append(dst, b...)
		a, b = limited(a), limited(b)
		return dst
	}
}

// limited returns a scratch buffer, or nil if it is too large to stay.
func limited(buf []byte) []byte {
	if cap(buf) > maxScratch {
		return nil
	}
	return buf
}
