package overlap

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"slices"
	"unicode"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// lineSteps is what CCNet does to a line before hashing it, in the terms of package sketch.
const lineSteps = "strip-controls,fold,strip-accents,strip-punctuation,digits"

// normalLine makes each line that is not blank after normalization one part: the first 8 bytes of
// its SHA-1, little-endian, as in the files of cc_net.
type normalLine struct {
	normalizer sketch.Normalizer
	line       []byte
}

func newNormalLine() *normalLine {
	n, err := sketch.NewNormalizer(lineSteps)
	if err != nil {
		panic("overlap: internal error: " + err.Error()) // the list is valid
	}
	return &normalLine{normalizer: n}
}

func (n *normalLine) append(keys []uint64, piece []byte) []uint64 {
	piece = bytes.TrimFunc(piece, unicode.IsSpace)
	if isASCII(piece) {
		n.line = appendNormalASCII(n.line[:0], piece)
	} else {
		n.line = withoutControls(n.normalizer.Append(n.line[:0], piece))
	}
	if len(bytes.TrimFunc(n.line, unicode.IsSpace)) == 0 {
		return keys
	}
	sum := sha1.Sum(n.line)
	return append(keys, 0, binary.LittleEndian.Uint64(sum[:]))
}

// withoutControls removes the control characters that the normalizer treats as white space.
func withoutControls(line []byte) []byte {
	kept := line[:0]
	for i := 0; i < len(line); i++ {
		if line[i] == 0xc2 && i+1 < len(line) && line[i+1] == 0x85 { // U+0085
			i++
			continue
		}
		if line[i] >= ' ' {
			kept = append(kept, line[i])
		}
	}
	return kept
}

// normalASCII maps each ASCII character to its normal form; 0 removes it.
var normalASCII = func() (table [128]byte) {
	for c := range table {
		switch r := rune(c); {
		case unicode.IsControl(r), unicode.IsPunct(r), unicode.IsSymbol(r):
		case unicode.IsDigit(r):
			table[c] = '0'
		default:
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()

// appendNormalASCII is the normalizer for ASCII.
func appendNormalASCII(dst, line []byte) []byte {
	at := len(dst)
	dst = slices.Grow(dst, len(line))[:at+len(line)]
	for _, c := range line {
		c = normalASCII[c&0x7f]
		dst[at] = c // no branch: what is removed is overwritten
		at += int((uint(c) + 0xff) >> 8)
	}
	return dst[:at]
}
