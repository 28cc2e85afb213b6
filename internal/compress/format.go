// Package compress reads compressed streams, which it recognises by their contents, and writes
// them.
//
// Reading knows gzip (also of several members), zstd (also with skippable frames), bzip2 and xz. A
// damaged stream yields what stands before the damage, and then a *DamageError. It is noticed at
// the next checksum: of bzip2 that is at the end of a block, which is not given out before; of the
// others what was given out since the last one may be wrong.
package compress

import "strings"

// A format is a way of compressing that can be recognised.
type format struct {
	name   string
	suffix string   // of file names
	magics []string // one of which a stream begins with; ? is any byte
}

var formats = []format{
	{"gzip", ".gz", []string{"\x1f\x8b\x08"}},
	{"zstd", ".zst", append(skippable(), "\x28\xb5\x2f\xfd")},
	{"bzip2", ".bz2", []string{"BZh?1AY&SY", "BZh?\x17\x72\x45\x38\x50\x90"}},
	{"xz", ".xz", []string{"\xfd7zXZ\x00"}},
}

// skippable returns how frames begin that a reader of zstd is to skip (RFC 8878 §3.1.2).
func skippable() []string {
	var magics []string
	for first := 0x50; first <= 0x5f; first++ {
		magics = append(magics, string([]byte{byte(first), 0x2a, 0x4d, 0x18}))
	}
	return magics
}

// longestMagic is how many bytes tell every format apart.
const longestMagic = 10

// matches reports whether head begins like a stream of the format, as far as it goes, and whether
// that is certain.
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

// recognise returns the format of a stream that begins with head, or nil if it is not compressed,
// or if it takes more bytes to tell.
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

// promised returns the format that the name of a file promises, or nil.
func promised(name string) *format {
	for i, f := range formats {
		if strings.HasSuffix(strings.ToLower(name), f.suffix) {
			return &formats[i]
		}
	}
	return nil
}

// TrimSuffix returns a file's name without what tells that it is compressed.
func TrimSuffix(name string) string {
	if f := promised(name); f != nil {
		return name[:len(name)-len(f.suffix)]
	}
	return name
}

// isCut reports whether head, all there is, is the beginning of a stream that the name promises,
// and no more than that.
func isCut(name string, head []byte) bool {
	f := promised(name)
	if f == nil {
		return false
	}
	possible, certain := f.matches(head)
	return possible && !certain
}
