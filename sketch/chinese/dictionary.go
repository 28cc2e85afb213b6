package chinese

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// packed has a word and its count on each line; see dictionary.py and NOTICE.
//
//go:embed dictionary.txt.gz
var packed []byte

// A Dictionary holds the words of Chinese, in simplified and traditional characters. It is
// immutable and safe for concurrent use.
//
// It is a hash table with linear probing. A map of strings would take three times the memory.
type Dictionary struct {
	text    string       // a word and its count on each line
	slots   []slot       // as many as a power of two, under half of them taken
	longest map[rune]int // bytes of the longest word that begins with a character
}

// A slot of the table holds a word, or is empty if cost is 0.
type slot struct {
	start uint32 // of the word in Dictionary.text
	cost  uint32 // -log₂ of the word's share of all counts, in units of 2⁻¹⁶
}

// The cost of a character that is in no word: that of one seen once in 2³².
const unknown = 32 << 16

// Load returns the dictionary of the package, which is decoded on the first call.
func Load() (*Dictionary, error) { return load() }

var load = sync.OnceValues(func() (*Dictionary, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("chinese dictionary: %w", err)
	}
	var text strings.Builder
	text.Grow(int(binary.LittleEndian.Uint32(packed[len(packed)-4:]))) // gzip ends with the size of its contents
	if _, err := io.Copy(&text, z); err != nil {
		return nil, fmt.Errorf("chinese dictionary: %w", err)
	}
	return parse(text.String())
})

func parse(text string) (*Dictionary, error) {
	words := strings.Count(text, "\n")
	d := &Dictionary{text: text, slots: make([]slot, 1<<bits.Len(uint(2*words))), longest: make(map[rune]int)}
	total, start := 0.0, 0
	for line := range strings.Lines(text) {
		word, digits, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		count, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || count == 0 || word == "" {
			return nil, fmt.Errorf("chinese dictionary: no word with a count in line %q", line)
		}
		first, size := utf8.DecodeRuneInString(word)
		if size == len(word) {
			count = 2 // a single character is a word of last resort, whatever its count
		}
		s := d.find([]byte(word))
		if s.cost > 0 {
			return nil, fmt.Errorf("chinese dictionary: %q occurs twice", word)
		}
		*s = slot{start: uint32(start), cost: uint32(count)}
		total += float64(count)
		d.longest[first] = max(d.longest[first], len(word))
		start += len(line)
	}
	for i, s := range d.slots {
		if s.cost > 0 {
			d.slots[i].cost = uint32(math.Round((math.Log2(total) - math.Log2(float64(s.cost))) * (1 << 16)))
		}
	}
	return d, nil
}

// find returns the slot of a word, or the empty slot where it would be.
func (d *Dictionary) find(word []byte) *slot {
	for i := xxh3.Hash(word); ; i++ {
		s := &d.slots[i&uint64(len(d.slots)-1)]
		if s.cost == 0 || d.holds(word, s.start) {
			return s
		}
	}
}

// holds reports whether a line of the text begins with the word.
func (d *Dictionary) holds(word []byte, line uint32) bool {
	rest := d.text[line:]
	return len(word) < len(rest) && rest[:len(word)] == string(word) && rest[len(word)] == ' '
}
