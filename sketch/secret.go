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

// A Secret is a number from which all hash functions are drawn. Without it nobody can foresee which
// texts meet in a band: with a seed that everybody knows, a text can be made that removes another
// one which it does not resemble, or texts that fill one page of a filter. 0 is none.
type Secret uint64

// NewSecret returns one from the system's source of random numbers.
func NewSecret() Secret {
	for {
		var b [8]byte
		rand.Read(b[:]) // it does not fail: the program would end
		if s := Secret(binary.LittleEndian.Uint64(b[:])); s != 0 {
			return s
		}
	}
}

const secretPrefix = "random:"

// String is how indexes and files of sketches name a secret: random: and 16 hexadecimal digits.
func (s Secret) String() string { return fmt.Sprintf(secretPrefix+"%016x", uint64(s)) }

// ParseSecret reads what String wrote. ok is false of a text that does not begin like one.
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

// PageSeed is the seed of the pages of an index's filters, or 0 without a secret.
func (s Secret) PageSeed() uint64 { return s.draw("page") }

// draw makes of a secret the number for a use: XXH3-64 of the name of the use, seeded with it.
func (s Secret) draw(use string) uint64 {
	if s == 0 {
		return 0
	}
	return xxh3.HashStringSeed(use, uint64(s))
}

// seeds are the seeds of the constants of the sketch and of the hashes of shingles.
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

// hasShortSeed reports whether a sketch takes seeds below 2³² only.
func hasShortSeed(sketch string) bool { return sketch == "datasketch" || sketch == "murmur3" }
