package sketch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"
)

// This file is docs/design/sketch.md read aloud: every step in the most direct way, with no thought
// of speed. The tests hold the package to it.

var foldExceptions = map[rune]rune{
	0xb5: 0x3bc, 0x17f: 's', 0x345: 0x3b9, 0x3c2: 0x3c3, 0x3d0: 0x3b2, 0x3d1: 0x3b8, 0x3d5: 0x3c6, 0x3d6: 0x3c0,
	0x3f0: 0x3ba, 0x3f1: 0x3c1, 0x3f5: 0x3b5, 0x1e9b: 0x1e61, 0x1fbe: 0x3b9,
	0x1c80: 0x432, 0x1c81: 0x434, 0x1c82: 0x43e, 0x1c83: 0x441, 0x1c84: 0x442, 0x1c85: 0x442, 0x1c86: 0x44a,
	0x1c87: 0x463, 0x1c88: 0xa64b,
}

// definedFold is CaseFolding.txt, status C and S: what unicode.ToLower says, with the exceptions
// listed there.
func definedFold(r rune) rune {
	switch {
	case r == 'İ': // status T only
		return r
	case unicode.Is(unicode.Cherokee, r):
		if 0x13f8 <= r && r <= 0x13fd {
			return r - 8
		}
		if 0xab70 <= r && r <= 0xabbf {
			return r - 0xab70 + 0x13a0
		}
		return r
	}
	if to, ok := foldExceptions[r]; ok {
		return to
	}
	return unicode.ToLower(r)
}

func definedRepair(text []byte) []rune { return []rune(string(text)) }

func definedNFKCFold(text []byte) []byte {
	var kept []rune
	for _, r := range definedRepair(text) {
		if !unicode.Is(unicode.Cf, r) {
			kept = append(kept, r)
		}
	}
	folded := []rune(norm.NFKC.String(string(kept)))
	for i, r := range folded {
		folded[i] = definedFold(r)
	}
	return norm.NFKC.Bytes([]byte(string(folded)))
}

// definedStep is a step of a normaliser, on well-formed text.
func definedStep(name, text string) string {
	drop := func(text string, tables ...*unicode.RangeTable) string {
		return strings.Map(func(r rune) rune {
			if unicode.In(r, tables...) {
				return -1
			}
			return r
		}, text)
	}
	switch name {
	case "strip-format":
		return drop(text, unicode.Cf)
	case "strip-controls":
		return strings.Map(func(r rune) rune {
			if unicode.IsControl(r) && !unicode.Is(unicode.White_Space, r) {
				return -1
			}
			return r
		}, text)
	case "nfc":
		return norm.NFC.String(text)
	case "nfkc":
		return norm.NFKC.String(text)
	case "fold":
		return strings.Map(definedFold, text)
	case "strip-accents":
		return norm.NFC.String(drop(norm.NFD.String(text), unicode.Mn))
	case "confusables":
		var b strings.Builder
		for _, r := range norm.NFD.String(text) {
			if to, ok := definedPrototypes()[r]; ok {
				b.WriteString(to)
			} else {
				b.WriteRune(r)
			}
		}
		return norm.NFC.String(b.String())
	case "digits":
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Nd, r) {
				return '0'
			}
			return r
		}, text)
	case "numbers":
		return regexp.MustCompile(`\p{Nd}+`).ReplaceAllString(text, "0")
	case "ids":
		return regexp.MustCompile(`[A-Za-z0-9_-]+`).ReplaceAllStringFunc(text, definedID)
	case "variables":
		return regexp.MustCompile(`[A-Za-z_.:/@-]*[0-9][A-Za-z0-9_.:/@-]*`).ReplaceAllString(text, "0")
	case "log-variables":
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, definedLogLine(line))
		}
		return strings.Join(lines, "\n")
	case "strip-punctuation":
		return drop(text, unicode.P, unicode.S)
	case "squash-space":
		return regexp.MustCompile(`[\s\v\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+`).ReplaceAllString(text, " ")
	}
	panic(name)
}

var (
	definedUUID   = regexp.MustCompile(`^(?i:(?:.*[_-])?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$`)
	definedPrefix = regexp.MustCompile(`^(?i:call|chatcmpl|cmpl|fc|msg|req|resp|rs|run|srvtoolu|thread|tooluse|toolu)[_-](.*)$`)
)

// definedID masks a run of letters, digits, _ and - that is an id.
func definedID(run string) string {
	if definedUUID.MatchString(run) {
		return "0"
	}
	if of := definedPrefix.FindStringSubmatch(run); of != nil {
		tail := strings.NewReplacer("_", "", "-", "").Replace(of[1])
		if len(tail) >= 6 && strings.ContainsAny(tail, "0123456789") && strings.Trim(tail, "0123456789") != "" {
			return "0"
		}
	}
	return run
}

var definedPrototypes = sync.OnceValue(func() map[rune]string {
	z, err := gzip.NewReader(bytes.NewReader(prototypeData))
	if err != nil {
		panic(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	m := make(map[rune]string)
	for _, line := range regexp.MustCompile(`(?m)^(\w+);(.*)$`).FindAllStringSubmatch(string(data), -1) {
		var from rune
		fmt.Sscanf(line[1], "%x", &from)
		for _, code := range strings.Fields(line[2]) {
			var to rune
			fmt.Sscanf(code, "%x", &to)
			m[from] += string(to)
		}
	}
	return m
})

// definedNormalize does the steps until they change nothing. The default recipe is one of them, if
// it comes first.
func definedNormalize(name string, bytes []byte) []byte {
	if name == "nfkc-fold" {
		return definedNFKCFold(bytes)
	}
	text := string(definedRepair(bytes))
	list, err := stepsOf(name)
	if err != nil {
		panic(err)
	}
	fold := recipes["nfkc-fold"]
	isFolded := len(list) > len(fold) && slices.Equal(list[:len(fold)], fold)
	if isFolded {
		list = list[len(fold):]
	}
	for {
		before := text
		if isFolded {
			text = string(definedNFKCFold([]byte(text)))
		}
		for _, step := range list {
			text = definedStep(step, text)
		}
		if text == before {
			return []byte(text)
		}
	}
}

func isWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

func isAlone(r rune) bool {
	return isWord(r) && (r == 0x3006 || r == 0x30fc || unicode.In(r, unspaced...))
}

func definedTokens(name string, text []byte) []string {
	var tokens []string
	switch name {
	case "whitespace":
		return strings.FieldsFunc(string(text), unicode.IsSpace)
	case "char":
		return strings.Split(string(text), "")
	case "lines":
		for _, line := range strings.Split(string(text), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				tokens = append(tokens, line)
			}
		}
		return tokens
	case "paragraphs":
		blank := true
		for _, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line != "" && blank:
				tokens = append(tokens, line)
			case line != "":
				tokens[len(tokens)-1] += " " + line
			}
			blank = line == ""
		}
		return tokens
	case "grapheme": // the library is held to Unicode's test file by TestGraphemeBreak
		for g := graphemes.FromString(string(text)); g.Next(); {
			tokens = append(tokens, g.Value())
		}
		return tokens
	case "word-grams":
		return definedWordGrams(string(text))
	case "uax29": // likewise, by TestWordBreak
		for w := words.FromString(string(text)); w.Next(); {
			if strings.ContainsFunc(w.Value(), isWord) {
				tokens = append(tokens, w.Value())
			}
		}
		return tokens
	}
	open := false
	for _, r := range string(text) {
		switch {
		case isAlone(r):
			tokens = append(tokens, string(r))
			open = false
		case !isWord(r):
			open = false
		case open:
			tokens[len(tokens)-1] += string(r)
		default:
			tokens = append(tokens, string(r))
			open = true
		}
	}
	return tokens
}

func definedShingles(p Params, text []byte) []string {
	tokens := definedTokens(p.Tokenize, definedNormalize(p.Normalize, text))
	n := min(p.ShingleSize, len(tokens))
	if n == 0 {
		return nil
	}
	gap := " "
	if p.Tokenize == "char" || p.Tokenize == "grapheme" {
		gap = ""
	}
	var shingles []string
	for i := 0; i+n <= len(tokens); i++ {
		shingles = append(shingles, strings.Join(tokens[i:i+n], gap))
	}
	return shingles
}

func definedHashes(shingles []string) []uint64 {
	var hashes []uint64
	for _, s := range shingles {
		hashes = append(hashes, xxh3.HashString(s))
	}
	return hashes
}

func definedSignature(p Params, text []byte) []uint64 {
	shingles := definedShingles(p, text)
	if shingles == nil {
		return nil
	}
	hashes := definedHashes(shingles)
	k := p.NumPerm
	slots := make([]uint64, k)
	for i := range slots {
		slots[i] = 1<<64 - 1
	}
	rng := splitMix(p.Seed)
	if p.Sketch == "datasketch" { // its constants are held to golden values by TestDatasketch
		d := newDatasketch(k, p.Seed).(*datasketch)
		for j := range slots {
			for _, s := range shingles {
				sum := sha1.Sum([]byte(s))
				h := uint64(sum[0]) | uint64(sum[1])<<8 | uint64(sum[2])<<16 | uint64(sum[3])<<24
				slots[j] = min(slots[j], (d.mul[j]*h+d.inc[j])%(1<<61-1)%(1<<32))
			}
		}
		return slots
	}
	if p.Sketch == "datasketch-affine32" {
		d := newAffine32(k, p.Seed).(*affine32)
		for j := range slots {
			for _, s := range shingles {
				sum := sha1.Sum([]byte(s))
				h := uint32(sum[0]) | uint32(sum[1])<<8 | uint32(sum[2])<<16 | uint32(sum[3])<<24
				h = (h ^ h>>16) * 0x85ebca6b
				h = (h ^ h>>13) * 0xc2b2ae35
				slots[j] = min(slots[j], uint64(d.mul[j]*(h^h>>16)+d.inc[j]))
			}
		}
		return slots
	}
	if p.Sketch == "murmur3" {
		for j := range slots {
			for _, s := range shingles {
				slots[j] = min(slots[j], uint64(definedMurmur3([]byte(s), uint32(p.Seed)+uint32(j))))
			}
		}
		return slots
	}
	if p.Sketch == "affine" {
		for j := range slots {
			a := rng.next() | 1
			b := rng.next()
			for _, x := range hashes {
				slots[j] = min(slots[j], a*x+b)
			}
		}
		return slots
	}
	left := k
	for i := uint64(0); i < uint64(2*k) && left > 0; i++ {
		s := rng.next()
		m := rng.next() | 1
		for _, x := range hashes {
			hi, lo := bits.Mul64(x^s, m)
			h := hi ^ lo
			slot := (h >> 32) * uint64(k) >> 32
			if i >= uint64(k) {
				slot = i - uint64(k)
			}
			if slots[slot] == 1<<64-1 {
				left--
			}
			slots[slot] = min(slots[slot], i<<32|h&0xffffffff)
		}
	}
	return slots
}

// definedMurmur3 is MurmurHash3_x86_32.
func definedMurmur3(data []byte, h uint32) uint32 {
	scramble := func(k uint32) uint32 { return bits.RotateLeft32(k*0xcc9e2d51, 15) * 0x1b873593 }
	n := uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h^scramble(binary.LittleEndian.Uint32(data)), 13)*5 + 0xe6546b64
	}
	var k uint32
	for i, c := range data {
		k |= uint32(c) << (8 * i)
	}
	h ^= scramble(k) ^ n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

func definedKeys(p Params, text []byte) []xxh3.Uint128 {
	slots := definedSignature(p, text)
	var keys []xxh3.Uint128
	for j := 0; slots != nil && j < p.Bands; j++ {
		var row []byte
		sum := uint64(0)
		for _, v := range slots[j*p.Rows : (j+1)*p.Rows] {
			row = binary.LittleEndian.AppendUint64(row, v)
			_, sum = bits.Div64(0, sum+v%(1<<61-1), 1<<61-1)
		}
		if p.BandKey == "sum" {
			keys = append(keys, xxh3.Uint128{Lo: sum})
		} else {
			keys = append(keys, xxh3.Hash128Seed(row, uint64(j)))
		}
	}
	return keys
}

// definedWordGrams are words, and of each run of a script without spaces all windows of three code
// points, or the run itself if it is shorter.
func definedWordGrams(text string) (tokens []string) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !isAlone(r) })
		if end < 0 {
			end = len(text)
		}
		if run := []rune(text[:end]); len(run) > 0 {
			for i := range max(1, len(run)-2) {
				tokens = append(tokens, string(run[i:min(i+3, len(run))]))
			}
		}
		text = text[end:]
		if end = strings.IndexFunc(text, isAlone); end < 0 {
			end = len(text)
		}
		tokens = append(tokens, definedTokens("word", []byte(text[:end]))...)
		text = text[end:]
	}
	return tokens
}
