package sketch

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// A Secret seeds all hash functions. Without knowing it nobody can predict which texts share a
// band. With a publicly known seed, a text can be constructed that removes another text it does not
// resemble, as can texts that fill one page of a filter. 0 means none.
type Secret uint64

// NewSecret returns a random Secret from the system's secure generator.
func NewSecret() Secret {
	for {
		var b [8]byte
		rand.Read(b[:]) // never fails
		if s := Secret(binary.LittleEndian.Uint64(b[:])); s != 0 {
			return s
		}
	}
}

const secretPrefix = "random:"

// String returns the form used in indexes and sketch files: random: and 16 hexadecimal digits.
func (s Secret) String() string { return fmt.Sprintf(secretPrefix+"%016x", uint64(s)) }

// ParseSecret parses what String returns. ok is false if text does not begin like a Secret.
func ParseSecret(text string) (s Secret, ok bool, err error) {
	digits, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return 0, false, nil
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || len(digits) != 16 || n == 0 {
		return 0, true, errors.New("a secret is random: and 16 hexadecimal digits, not all of them 0")
	}
	return Secret(n), true, nil
}

// PageSeed returns the seed for the pages of an index's filters, or 0 without a Secret.
func (s Secret) PageSeed() uint64 { return s.draw("page") }

// draw derives a number for a use: the XXH3-64 of its name, seeded with the Secret.
func (s Secret) draw(use string) uint64 {
	if s == 0 {
		return 0
	}
	return xxh3.HashStringSeed(use, uint64(s))
}

// seeds returns the seed of the sketch's constants and that of the hashes of shingles.
func (p Params) seeds() (constants, shingles uint64) {
	if p.Secret == 0 {
		return p.Seed, 0
	}
	constants = p.Secret.draw("sketch")
	if hasShortSeed(p.Sketch) {
		constants &= 1<<32 - 1
	}
	return constants, p.Secret.draw("shingle")
}

// hasShortSeed reports whether a sketch only accepts seeds below 2³².
func hasShortSeed(sketch string) bool {
	return sketch == "datasketch" || sketch == "datasketch-affine32" || sketch == "murmur3"
}
