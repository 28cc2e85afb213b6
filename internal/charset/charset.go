// Package charset converts inputs in other character encodings to UTF-8, and replaces invalid
// bytes.
package charset

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// names are missing in both registries, or mean something else there: for browsers latin-1 is
// windows-1252.
var names = map[string]encoding.Encoding{
	"utf-8": nil, "utf8": nil,
	"latin-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1, "iso-8859-1": charmap.ISO8859_1,
	"utf-16":    unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf16":     unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16le":  unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":  unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"mac-roman": charmap.Macintosh,
	"cp932":     japanese.ShiftJIS,
	"cp936":     simplifiedchinese.GBK,
	"cp949":     korean.EUCKR,
	"cp950":     traditionalchinese.Big5,
}

// Find returns the encoding with a name: an IANA name, one that browsers know, or a code page such
// as cp1252. It returns nil for UTF-8.
func Find(name string) (encoding.Encoding, error) {
	lower := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if e, ok := names[lower]; ok {
		return e, nil
	}
	tried := []string{lower, strings.ReplaceAll(lower, "-", "_")}
	if page, ok := strings.CutPrefix(strings.TrimPrefix(lower, "cp"), "125"); ok && page != "" {
		tried = append(tried, "windows-125"+page)
	}
	if page, ok := strings.CutPrefix(lower, "cp"); ok {
		tried = append(tried, "ibm"+page)
	}
	for _, name := range tried {
		if e, err := ianaindex.IANA.Encoding(name); err == nil && e != nil {
			return e, nil
		}
		if e, err := htmlindex.Get(name); err == nil && e != encoding.Replacement {
			return e, nil
		}
	}
	return nil, fmt.Errorf("encoding %s is not known: use a name such as latin-1, cp1252, utf-16, shift-jis, gb18030 "+
		"or koi8-r", name)
}

// A Decoding converts inputs to UTF-8. A nil *Decoding leaves them unchanged. It is safe for
// concurrent use.
type Decoding struct {
	name     string
	from     encoding.Encoding // nil for UTF-8
	replace  bool
	replaced atomic.Uint64
}

// NewDecoding returns the Decoding for the name of an encoding, by default UTF-8. With replace,
// invalid bytes become U+FFFD. It returns nil if there is nothing to do: then bytes that are not
// UTF-8 pass.
func NewDecoding(name string, replace bool) (*Decoding, error) {
	d := &Decoding{name: name, replace: replace}
	var err error
	if name != "" {
		d.from, err = Find(name)
	}
	if err != nil || d.from == nil && !replace {
		return nil, err
	}
	return d, nil
}

// Replaces reports whether invalid bytes become U+FFFD.
func (d *Decoding) Replaces() bool { return d != nil && d.replace }

// Replaced returns the number of replacements since the last Reset.
func (d *Decoding) Replaced() uint64 {
	if d == nil {
		return 0
	}
	return d.replaced.Load()
}

// Add counts replacements made elsewhere.
func (d *Decoding) Add(n int) { d.replaced.Add(uint64(n)) }

// Reset resets the count, for inputs that were read before.
func (d *Decoding) Reset() {
	if d != nil {
		d.replaced.Store(0)
	}
}

// Reader returns the contents of src as UTF-8. Closing it closes src.
func (d *Decoding) Reader(src io.ReadCloser) io.ReadCloser {
	if d == nil {
		return src
	}
	t := transform.Transformer(&repairer{of: d})
	if d.from != nil {
		t = transform.Chain(d.from.NewDecoder(), &repairer{of: d})
	}
	return struct {
		io.Reader
		io.Closer
	}{transform.NewReader(src, t), src}
}

// A repairer replaces invalid UTF-8, and detects U+FFFD that a decoder has inserted for invalid
// bytes.
type repairer struct {
	of   *Decoding
	done int64 // bytes processed
}

// Reset implements transform.Transformer.
func (r *repairer) Reset() { r.done = 0 }

// Transform implements transform.Transformer.
func (r *repairer) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	defer func() { r.done += int64(nSrc) }()
	for nSrc < len(src) {
		n := plain(src[nSrc:])
		n = min(n, len(dst)-nDst)
		copy(dst[nDst:], src[nSrc:nSrc+n])
		nDst, nSrc = nDst+n, nSrc+n
		if nSrc == len(src) {
			break
		}
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		char, size := utf8.DecodeRune(src[nSrc:])
		switch isLost := char == utf8.RuneError && (size == 1 || r.of.from != nil); {
		case size == 1 && !atEOF && !utf8.FullRune(src[nSrc:]):
			return nDst, nSrc, transform.ErrShortSrc
		case isLost && !r.of.replace:
			return nDst, nSrc, fmt.Errorf("it is not %s behind byte %d of what it is as UTF-8: give "+
				"another --encoding, or --invalid-utf8 replace", r.of.name, r.done+int64(nSrc))
		case isLost:
			r.of.replaced.Add(1)
		}
		nDst, nSrc = nDst+utf8.EncodeRune(dst[nDst:], char), nSrc+size
	}
	return nDst, nSrc, nil
}

// plain returns the number of leading ASCII bytes.
func plain(p []byte) int {
	for i, c := range p {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(p)
}
