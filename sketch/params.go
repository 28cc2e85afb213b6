package sketch

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// UnicodeVersion is the version of the Unicode tables used by normalizers and tokenizers. Keys of
// texts with code points assigned or changed in another version differ from keys made with that
// version.
const UnicodeVersion = unicode.Version

// Params holds everything that defines the band keys of a text. Two texts can be compared by their
// keys only if the keys were made under equal Params.
type Params struct {
	Normalize   string // the normalizer, see NormalizerNames
	Tokenize    string // the tokenizer, see TokenizerNames
	ShingleSize int    // tokens in a shingle
	Sketch      string // the family of MinHash functions, see SketchNames
	NumPerm     int    // slots of the signature, k
	Seed        uint64 // determines the constants of the sketch
	Secret      Secret // replaces Seed, and also seeds the hashes of shingles; 0 means none
	Bands, Rows int    // b and r; b·r ≤ k
	BandKey     string // how the r slots of a band become its key, see BandKeyNames
	SlotBits    int    // bits of each slot in a packed signature: 1, 2, 4 or 8; 0: see PackedBits
}

// usualBits is the default size of a packed signature in bits.
const usualBits = 512

// PackedBits returns the number of bits of each slot in a packed signature: SlotBits, or by default
// as many, from one to eight, as make it 64 bytes long.
func (p Params) PackedBits() int {
	bits := p.SlotBits
	for bits = max(bits, 1); p.SlotBits == 0 && bits < 8 && 2*bits*p.NumPerm <= usualBits; {
		bits *= 2
	}
	return bits
}

// PackedWords returns the number of words of a packed signature.
func (p Params) PackedWords() int { return PackedWords(p.NumPerm, p.PackedBits()) }

// Limits that keep tables and scratch memory reasonable. No use of MinHash comes near them.
const (
	maxShingleSize = 1 << 16
	maxNumPerm     = 1 << 20
)

// Validate returns an error about the first invalid parameter, by its name on the command line.
func (p Params) Validate() error {
	switch {
	case p.ShingleSize < 1 || p.ShingleSize > maxShingleSize:
		return fmt.Errorf("shingle-size must be between 1 and %d, not %d", maxShingleSize, p.ShingleSize)
	case p.NumPerm < 1 || p.NumPerm > maxNumPerm:
		return fmt.Errorf("num-perm must be between 1 and %d, not %d", maxNumPerm, p.NumPerm)
	case p.Bands < 1:
		return fmt.Errorf("bands must be at least 1, not %d", p.Bands)
	case p.Rows < 1:
		return fmt.Errorf("rows must be at least 1, not %d", p.Rows)
	case p.Rows > p.NumPerm/p.Bands:
		return fmt.Errorf("bands × rows must be at most num-perm: %d × %d > %d", p.Bands, p.Rows, p.NumPerm)
	case p.SlotBits != 0 && !isSlotBits(p.SlotBits):
		return fmt.Errorf("slot-bits must be 1, 2, 4 or 8, not %d", p.SlotBits)
	case p.Secret != 0 && p.Seed != 0:
		return fmt.Errorf("seed must be 0 beside a secret, not %d", p.Seed)
	case p.Seed > math.MaxUint32 && hasShortSeed(p.Sketch):
		return fmt.Errorf("seed must be below 2³² for sketch %s, not %d", p.Sketch, p.Seed)
	}
	steps, err := stepsOf(p.Normalize)
	if err != nil {
		return err
	}
	if err := known("tokenize", p.Tokenize, tokenizers); err != nil {
		return err
	}
	if tokenizers[p.Tokenize].byLine && slices.Contains(steps, "squash-space") {
		return fmt.Errorf("tokenize %s needs the line ends that normalize %s takes away", p.Tokenize, p.Normalize)
	}
	if err := known("sketch", p.Sketch, sketches); err != nil {
		return err
	}
	return known("band-key", p.BandKey, bandKeys)
}

func isSlotBits(bits int) bool { return bits == 1 || bits == 2 || bits == 4 || bits == 8 }

// TokenizerNames lists the values of Params.Tokenize.
func TokenizerNames() []string { return names(tokenizers) }

// SketchNames lists the values of Params.Sketch.
func SketchNames() []string { return names(sketches) }

// BandKeyNames lists the values of Params.BandKey.
func BandKeyNames() []string { return names(bandKeys) }

func names[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }

func known[V any](param, name string, table map[string]V) error {
	if _, ok := table[name]; !ok {
		return fmt.Errorf("%s: unknown name %q (want one of: %s)", param, name, strings.Join(names(table), ", "))
	}
	return nil
}

// ShingleParams returns the Params of a Sketcher that is only used for shingles.
func ShingleParams(normalize, tokenize string, shingleSize int) Params {
	return Params{
		Normalize: normalize, Tokenize: tokenize, ShingleSize: shingleSize,
		Sketch: "fss", NumPerm: 1, Bands: 1, Rows: 1, BandKey: "xxh3",
	}
}
