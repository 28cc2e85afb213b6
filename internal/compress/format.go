// Package compress reads compressed streams, which it recognizes by their contents, and writes
// them.
//
// It reads gzip (including several members), zstd (including skippable frames), bzip2 and xz. A
// damaged stream yields what precedes the damage, and then a *DamageError. Damage is detected at
// the next checksum. For bzip2 that is the end of a block, which is not returned before; for the
// others, data returned since the last checksum may be wrong.
package compress

import "strings"

// A format is a compression format that can be recognized.
type format struct {
	name   string
	suffix string   // of file names
	magics []string // possible first bytes of a stream; ? is any byte
}

var formats = []format{
	{"gzip", ".gz", []string{"\x1f\x8b\x08"}},
	{"zstd", ".zst", append(skippable(), "\x28\xb5\x2f\xfd")},
	{"bzip2", ".bz2", []string{"BZh?1AY&SY", "BZh?\x17\x72\x45\x38\x50\x90"}},
	{"xz", ".xz", []string{"\xfd7zXZ\x00"}},
}

// skippable returns the magic numbers of zstd's skippable frames (RFC 8878 §3.1.2).
func skippable() []string {
	var magics []string
	for first := 0x50; first <= 0x5f; first++ {
		magics = append(magics, string([]byte{byte(first), 0x2a, 0x4d, 0x18}))
	}
	return magics
}

// longestMagic is the number of bytes that suffice to recognize any format.
const longestMagic = 10

// matches reports whether head may be, and whether it certainly is, the beginning of a stream of
// the format.
func (f format) matches(head []byte) (possible, certain bool) {
	for _, magic := range f.magics {
		n := min(len(head), len(magic))
		if !sameBytes(head[:n], magic[:n]) {
			continue
		}
		possible = true
		certain = certain || n == len(magic)
	}
	return possible, certain
}

func sameBytes(head []byte, magic string) bool {
	for i, c := range head {
		if magic[i] != '?' && c != magic[i] {
			return false
		}
	}
	return true
}

// recognise returns the format of a stream that begins with head. If it returns nil, the stream is
// not compressed, or more bytes are needed to tell.
func recognise(head []byte) (f *format, more bool) {
	for i := range formats {
		possible, certain := formats[i].matches(head)
		if certain {
			return &formats[i], false
		}
		more = more || possible
	}
	return nil, more
}

// promised returns the format that a file name implies; nil means uncompressed.
func promised(name string) *format {
	for i, f := range formats {
		if strings.HasSuffix(strings.ToLower(name), f.suffix) {
			return &formats[i]
		}
	}
	return nil
}

// TrimSuffix returns a file name without the suffix of a compression format.
func TrimSuffix(name string) string {
	if f := promised(name); f != nil {
		return name[:len(name)-len(f.suffix)]
	}
	return name
}

// isCut reports whether head, the whole contents, is a truncated beginning of a stream in the
// format that the name implies.
func isCut(name string, head []byte) bool {
	f := promised(name)
	if f == nil {
		return false
	}
	possible, certain := f.matches(head)
	return possible && !certain
}
