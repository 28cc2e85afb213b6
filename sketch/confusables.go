package sketch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// prototypeData is the mapping of UTS #39, made by unicode/confusables.py.
//
//go:embed unicode/confusables.txt.gz
var prototypeData []byte

// prototypes maps a code point to the representative of all that look like it, in blocks of 64 code
// points; most are empty.
type prototypes struct {
	block [(unicode.MaxRune + 1) / 64]uint16
	texts [][64]string
	ascii [128]bool // whether an ASCII character has one
}

// loadPrototypes decodes the data on first use. The data is embedded; tests verify that it is
// complete.
var loadPrototypes = sync.OnceValue(func() *prototypes {
	p := &prototypes{texts: make([][64]string, 1)}
	z, err := gzip.NewReader(bytes.NewReader(prototypeData))
	if err != nil {
		panic("embedded confusables: " + err.Error())
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		from, to, ok := strings.Cut(lines.Text(), ";")
		if !ok {
			continue // a comment
		}
		var text []rune
		for _, code := range strings.Fields(to) {
			text = append(text, parseCode(code))
		}
		r := parseCode(from)
		if p.block[r>>6] == 0 {
			p.block[r>>6] = uint16(len(p.texts))
			p.texts = append(p.texts, [64]string{})
		}
		p.texts[p.block[r>>6]][r&63] = string(text)
		if r < utf8.RuneSelf {
			p.ascii[r] = true
		}
	}
	return p
})

func parseCode(hex string) rune {
	code, err := strconv.ParseUint(hex, 16, 21)
	if err != nil {
		panic("embedded confusables: " + err.Error())
	}
	return rune(code)
}

// newSkeleton returns the step that replaces each code point of the canonical decomposition by its
// prototype in UTS #39, and composes the result, so that texts that look the same become the same.
func newSkeleton() pass {
	table := loadPrototypes()
	var a, b []byte
	return func(dst, text []byte) []byte {
		a = norm.NFD.Append(a[:0], text...)
		b = b[:0]
		for i := 0; i < len(a); {
			if n := table.skipASCII(a[i:]); n > 0 {
				b = append(b, a[i:i+n]...)
				i += n
				continue
			}
			r, size := decodeRune(a[i:])
			if to := table.texts[table.block[r>>6]][r&63]; to != "" {
				b = append(b, to...)
			} else {
				b = append(b, a[i:i+size]...)
			}
			i += size
		}
		dst = norm.NFC.Append(dst, b...)
		a, b = limited(a), limited(b)
		return dst
	}
}

// skipASCII returns the length of the ASCII text before the first character that has a prototype.
func (p *prototypes) skipASCII(text []byte) int {
	for i, c := range text {
		if c >= utf8.RuneSelf || p.ascii[c] {
			return i
		}
	}
	return len(text)
}
