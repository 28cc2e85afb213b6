package overlap

import (
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A placedWord is a normalised word, and the bytes that it was made of.
type placedWord struct {
	hash       uint64
	start, end uint32
}

// placed makes words that are the same whatever their case is and whatever punctuation stands in
// them: what stands between white space, in the normal form nfkc-fold, without everything that is
// no letter, mark or number. A letter of a script that is written without spaces is a word of its
// own. It owns scratch memory.
type placed struct {
	normalizer sketch.Normalizer
	word       []byte
	normal     []byte
}

func newPlaced() *placed {
	n, err := sketch.NewNormalizer("nfkc-fold")
	if err != nil {
		panic("overlap: internal error: " + err.Error()) // there is one of that name
	}
	return &placed{normalizer: n}
}

// asciiWord is what an ASCII character adds to a word; 0 if that is nothing.
var asciiWord = func() (table [128]byte) {
	for c := range table {
		if r := rune(c); unicode.IsLetter(r) || unicode.IsDigit(r) {
			table[c] = byte(unicode.ToLower(r))
		}
	}
	return table
}()

// append appends the words of a text, which is shorter than 4 GiB.
func (p *placed) append(words []placedWord, text []byte) []placedWord {
	for i := 0; i < len(text); {
		if size := spaceAt(text, i); size > 0 {
			i += size
			continue
		}
		start := i
		word := p.word[:0]
		for i < len(text) && text[i] < utf8.RuneSelf && !isSpace[text[i]] {
			if c := asciiWord[text[i]]; c != 0 {
				word = append(word, c)
			}
			i++
		}
		p.word = word
		if i < len(text) && text[i] >= utf8.RuneSelf {
			words, i = p.appendAny(words, text, start)
			continue
		}
		if len(word) > 0 {
			words = append(words, placedWord{xxh3.Hash(word), uint32(start), uint32(i)})
		}
	}
	return words
}

// appendAny appends the words up to the next white space, and returns where that is.
func (p *placed) appendAny(words []placedWord, text []byte, start int) ([]placedWord, int) {
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsSpace(r) {
			break
		}
		if r >= 0x0e00 && unicode.In(r, spaceless...) {
			words = p.appendWord(words, text, start, i)
			words = p.appendWord(words, text, i, i+size)
			start = i + size
		}
		i += size
	}
	return p.appendWord(words, text, start, i), i
}

// spaceless are the scripts that are written without spaces, from U+0E00 on.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// appendWord appends the word that text[start:end] makes, if there is anything in it.
func (p *placed) appendWord(words []placedWord, text []byte, start, end int) []placedWord {
	if start == end {
		return words
	}
	p.normal = p.normalizer.Append(p.normal[:0], text[start:end])
	word := p.word[:0]
	for _, r := range string(p.normal) {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			word = utf8.AppendRune(word, r)
		}
	}
	p.word = word
	if len(word) == 0 {
		return words
	}
	return append(words, placedWord{xxh3.Hash(word), uint32(start), uint32(end)})
}
