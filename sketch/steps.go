package sketch

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// replace returns the step that replaces each code point of a class, or each run of them, by the
// byte with; 0 removes them.
func replace(load func() *classTable, with byte, run bool) func() pass {
	return func() pass {
		r := &replacer{classes: load(), with: with}
		if with == 0 {
			r.drop = 1
		}
		if run {
			r.once = 1
		}
		for c := range r.ascii {
			r.ascii[c] = byte(c)
			if r.classes.low[c] != classOut && with != 0 {
				r.ascii[c] = with
			}
		}
		return r.append
	}
}

type replacer struct {
	classes    *classTable
	with       byte
	drop, once uint8     // 1 or 0: remove, or once for each run
	ascii      [128]byte // replacement of each ASCII character, if any
}

func (r *replacer) append(dst, text []byte) []byte {
	out := len(dst)
	dst = slices.Grow(dst, len(text))
	buf := dst[:out+len(text)] // a code point is at least as long as its replacement
	before := uint8(0)         // 1 if the previous code point was in the class
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			// There is no branch on the class: with words, it would be mispredicted all the time.
			in := r.classes.low[c]
			buf[out] = r.ascii[c]
			out += int(1 &^ (in & (r.drop | r.once&before)))
			before = in
			i++
			continue
		}
		class, n := r.classes.run(text[i:], len(text)-i)
		switch {
		case class == classOut:
			out += copy(buf[out:], text[i:i+n])
		case r.drop == 0:
			for range r.count(text[i:i+n], before) {
				buf[out] = r.with
				out++
			}
		}
		before = class
		i += n
	}
	return buf[:out]
}

// count returns the number of replacements for a run of non-ASCII code points.
func (r *replacer) count(run []byte, before uint8) int {
	if r.once == 0 {
		return utf8.RuneCount(run)
	}
	return int(1 - before)
}

// form returns the step for a normalization form.
func form(f norm.Form) func() pass {
	return func() pass {
		return func(dst, text []byte) []byte { return f.Append(dst, text...) }
	}
}

// newFold returns the step of simple case folding.
func newFold() pass {
	table := newFoldTable()
	return func(dst, text []byte) []byte {
		dst = slices.Grow(dst, len(text)+8)
		for i := 0; i < len(text); {
			if text[i] < utf8.RuneSelf {
				var n int
				dst, n = appendFoldedASCII(dst, text[i:])
				i += n
				continue
			}
			r, size := decodeRune(text[i:])
			switch table.at(r) & kindMask {
			case kindFold, kindStrip, kindSlow: // the others fold to themselves
				r = foldRune(r)
			}
			dst = appendRune(dst, r)
			i += size
		}
		return dst
	}
}

// newAccents returns the step that removes non-spacing marks (Mn) from the canonical decomposition
// and composes the rest.
func newAccents() pass {
	strip := replace(loadMarks, 0, false)()
	var a, b []byte
	return func(dst, text []byte) []byte {
		a = norm.NFD.Append(a[:0], text...)
		b = strip(b[:0], a)
		dst = norm.NFC.Append(dst, b...)
		a, b = limited(a), limited(b)
		return dst
	}
}

// limited returns a scratch buffer, or nil if it is too large to keep.
func limited(buf []byte) []byte {
	if cap(buf) > maxScratch {
		return nil
	}
	return buf
}
