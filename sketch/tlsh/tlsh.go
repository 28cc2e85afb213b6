// Package tlsh computes TLSH digests of texts, and the distance of two digests.
//
// A digest records which triples of nearby bytes are frequent in a text (Oliver, Cheng, Chen: TLSH
// – A Locality Sensitive Hash, 4th Cybercrime and Trustworthy Computing Workshop, 2013). It has 128
// buckets and a checksum of one byte, as in version 4 and later of the reference implementation,
// whose digests begin with T1. Nearly equal texts have distances up to 50, and related texts up to
// 100.
package tlsh

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// MinLength is the minimum number of bytes of a text with a digest.
const MinLength = 50

const (
	buckets   = 128
	codeBytes = buckets / 4 // two bits for each bucket
	leastUsed = buckets/2 + 1
	hexPrefix = "T1"
	hexLength = len(hexPrefix) + 2*(3+codeBytes)
)

// A Digest is the TLSH digest of a text. Digests are comparable.
type Digest struct {
	Checksum byte
	Length   byte // logarithm of the text's length, in steps
	// ratio of the first quartile of the buckets to the third, and of the second to the third
	Ratios byte
	// two bits for each bucket, the first one in the lowest bits: its quarter
	Code [codeBytes / 8]uint64
}

// salted are the six tables that begin the hash of a triple. Each is for different bytes of a
// window of five: the offsets of the second and the third byte of the triple, back from the last
// one.
var salted = [6]struct {
	salt          byte
	second, third int
}{{2, 1, 2}, {3, 1, 3}, {5, 2, 3}, {7, 2, 4}, {11, 1, 4}, {13, 3, 4}}

// firsts are the hashes of the first byte of a triple.
var firsts = func() (t [6][256]byte) {
	for i, s := range salted {
		for b := range 256 {
			t[i][b] = pearson[pearson[s.salt]^byte(b)]
		}
	}
	return t
}()

// Sum returns the digest of a text. ok is false if it has none, because it is shorter than
// MinLength, or so uniform that at most half of the buckets are used.
func Sum(text []byte) (d Digest, ok bool) {
	if len(text) < MinLength || uint64(len(text)) > math.MaxUint32 {
		return d, false
	}
	var counts [256]uint32
	d.Checksum = count(&counts, text)
	used := 0
	for _, n := range counts[:buckets] {
		if n > 0 {
			used++
		}
	}
	sorted := [buckets]uint32(counts[:buckets])
	slices.Sort(sorted[:])
	q1, q2, q3 := sorted[buckets/4-1], sorted[buckets/2-1], sorted[buckets-buckets/4-1]
	if used < leastUsed || q3 == 0 {
		return Digest{}, false
	}
	for i, n := range counts[:buckets] {
		quarter := uint64(0)
		switch {
		case n > q3:
			quarter = 3
		case n > q2:
			quarter = 2
		case n > q1:
			quarter = 1
		}
		d.Code[i/32] |= quarter << (i % 32 * 2)
	}
	d.Length = lengthOf(len(text))
	d.Ratios = byte(uint64(q1)*100/uint64(q3)%16 | uint64(q2)*100/uint64(q3)%16<<4)
	return d, true
}

// count counts the triples of each window of five bytes, and returns the checksum.
func count(counts *[256]uint32, text []byte) (checksum byte) {
	f := &firsts
	start := pearson[0]
	e, d, c, b := text[0], text[1], text[2], text[3] // the earliest first
	for _, a := range text[4:] {
		checksum = pearson[pearson[pearson[start^a]^b]^checksum]
		counts[pearson[pearson[f[0][a]^b]^c]]++
		counts[pearson[pearson[f[1][a]^b]^d]]++
		counts[pearson[pearson[f[2][a]^c]^d]]++
		counts[pearson[pearson[f[3][a]^c]^e]]++
		counts[pearson[pearson[f[4][a]^b]^e]]++
		counts[pearson[pearson[f[5][a]^d]^e]]++
		e, d, c, b = d, c, b, a
	}
	return checksum
}

// lengthOf returns the logarithm of a length, in steps of a half, from 657 on of three tenths, and
// from 3200 on of a tenth. The reference implementation computes with float32, which shifts the
// steps of long texts.
func lengthOf(n int) byte {
	log := float64(float32(math.Log(float64(float32(n)))))
	switch {
	case n <= 656:
		return byte(int(math.Floor(log / 0.4054651)))
	case n <= 3199:
		return byte(int(math.Floor(log/0.26236426 - 8.72777)))
	}
	return byte(int(math.Floor(log/0.095310180 - 62.5472)))
}

// Distance returns how different two texts are, from 0 on. It has no fixed maximum: unrelated texts
// are at 200 and more.
func Distance(a, b Digest) int {
	n := step(around(a.Length, b.Length, 256), 12)
	n += stepAfterOne(around(a.Ratios&15, b.Ratios&15, 16)) + stepAfterOne(around(a.Ratios>>4, b.Ratios>>4, 16))
	if a.Checksum != b.Checksum {
		n++
	}
	const low = 0x5555555555555555
	for i := range a.Code {
		x := a.Code[i] ^ b.Code[i]
		lows, highs := x&low, x>>1&low
		ends := ^(a.Code[i] ^ a.Code[i]>>1) & low // quarters 0 and 3
		n += bits.OnesCount64(lows&^highs) + 2*bits.OnesCount64(highs&^lows)
		n += 6*bits.OnesCount64(lows&highs&ends) + bits.OnesCount64(lows&highs&^ends)
	}
	return n
}

// around returns the distance of two numbers on a circle.
func around(a, b byte, size int) int {
	n := max(int(a), int(b)) - min(int(a), int(b))
	return min(n, size-n)
}

// step returns the contribution of a difference of lengths.
func step(n, factor int) int {
	if n <= 1 {
		return n
	}
	return n * factor
}

// stepAfterOne returns the contribution of a difference of ratios.
func stepAfterOne(n int) int {
	if n <= 1 {
		return n
	}
	return (n - 1) * 12
}

// String returns the digest as T1 and 70 hexadecimal digits.
func (d Digest) String() string {
	bytes := []byte{swap(d.Checksum), swap(d.Length), swap(d.Ratios)}
	for i := codeBytes - 1; i >= 0; i-- {
		bytes = append(bytes, byte(d.Code[i/8]>>(i%8*8)))
	}
	return hexPrefix + strings.ToUpper(hex.EncodeToString(bytes))
}

// Parse parses what String returns, in upper or lower case.
func Parse(text string) (d Digest, err error) {
	if len(text) != hexLength || !strings.HasPrefix(text, hexPrefix) {
		return d, errors.New("a digest is T1 and 70 hexadecimal digits")
	}
	bytes, err := hex.DecodeString(text[len(hexPrefix):])
	if err != nil {
		return d, fmt.Errorf("a digest is T1 and 70 hexadecimal digits: %w", err)
	}
	d.Checksum, d.Length, d.Ratios = swap(bytes[0]), swap(bytes[1]), swap(bytes[2])
	for i, b := range bytes[3:] {
		at := codeBytes - 1 - i
		d.Code[at/8] |= uint64(b) << (at % 8 * 8)
	}
	return d, nil
}

// swap exchanges the halves of a byte.
func swap(b byte) byte { return b<<4 | b>>4 }

// Words is the number of words of a digest.
const Words = 5

// AppendWords appends the words of the digest: checksum, length and ratios in the three lowest
// bytes of the first, and the code in the others.
func (d Digest) AppendWords(dst []uint64) []uint64 {
	dst = append(dst, uint64(d.Checksum)|uint64(d.Length)<<8|uint64(d.Ratios)<<16)
	return append(dst, d.Code[:]...)
}

// FromWords is the inverse of AppendWords.
func FromWords(words []uint64) Digest {
	head := words[0]
	return Digest{
		Checksum: byte(head), Length: byte(head >> 8), Ratios: byte(head >> 16),
		Code: [codeBytes / 8]uint64(words[1:Words]),
	}
}
