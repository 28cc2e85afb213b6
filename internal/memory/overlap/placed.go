package overlap

import (
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A placedWord is a normalized word with the range of bytes that it came from.
type placedWord struct {
	hash       uint64
	start, end uint32
}

// placed makes words that do not depend on how a text was wrapped, punctuated, quoted or escaped. A
// word is a run of letters, marks and numbers in the normal form nfkc-fold, without apostrophes and
// invisible characters; each character of a script without spaces is a word of its own. What
// escapes.go recognizes is decoded, and labels of choices, as in "A)", are dropped. It owns scratch
// memory.
type placed struct {
	normalizer sketch.Normalizer
	text       []byte
	words      []placedWord

	raw     []byte // the current word
	isASCII bool
	from    int // start of the current word in the text, if raw is not empty
	chunk   int // start of the text between two white spaces, or -1 after other boundaries
	inChunk int // number of words before that text
	normal  []byte
	// the last character since the last word that is neither white space nor a backslash
	last byte
}

func newPlaced() *placed {
	n, err := sketch.NewNormalizer("nfkc-fold")
	if err != nil {
		panic("overlap: internal error: " + err.Error()) // the name is valid
	}
	return &placed{normalizer: n}
}

// The role of an ASCII character in a word.
const (
	divides = iota
	belongs
	isWhite
	mayEscape // may begin an escape, a tag, an entity, or the name of a member
)

var asciiClass = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		switch r := rune(c); {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			table[c] = belongs
		case isSpace[c]:
			table[c] = isWhite
		}
	}
	table['\\'], table['<'], table['&'], table['"'], table['\''] = mayEscape, mayEscape, mayEscape, mayEscape, mayEscape
	table[','] = mayEscape // between digits
	return table
}()

// asciiLetter maps an ASCII letter or digit to its normal form; 0 for all others.
var asciiLetter = func() (table [256]byte) {
	for c, class := range asciiClass {
		if class == belongs {
			table[c] = byte(unicode.ToLower(rune(c)))
		}
	}
	return table
}()

// append appends the words of a text, which is shorter than 4 GiB.
func (p *placed) append(words []placedWord, text []byte) []placedWord {
	p.text, p.words, p.raw, p.isASCII = text, words, p.raw[:0], true
	p.chunk, p.inChunk, p.last = 0, len(words), 0
	for i := 0; i < len(text); {
		c := text[i]
		if len(p.raw) == 0 && len(p.words) == p.inChunk && ((c|0x20)-'a' <= 'j'-'a' || c == fullWidth) {
			if size := labelAt(text, i); size > 0 {
				i += size
				continue
			}
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(text[i:])
			p.addRune(r, i, size)
			i += size
			continue
		}
		switch asciiClass[c] {
		case belongs:
			if len(p.raw) == 0 {
				p.from = i
			}
			raw := p.raw
			for ; i < len(text) && asciiLetter[text[i]] != 0; i++ {
				raw = append(raw, asciiLetter[text[i]])
			}
			p.raw = raw
		case isWhite:
			p.endChunk(i)
			i++
			p.chunk = i
		case mayEscape:
			i += p.escape(i)
		default:
			p.endWord(i)
			p.last = c
			i++
		}
	}
	p.endChunk(len(text))
	words, p.text, p.words = p.words, nil, nil
	return words
}

// addRune adds a character that takes size bytes of the text from at on, in UTF-8 or escaped.
func (p *placed) addRune(r rune, at, size int) {
	switch {
	case unicode.IsSpace(r):
		p.endChunk(at)
		if p.chunk = at + size; size != utf8.RuneLen(r) {
			p.chunk = -1
		}
	case isApostrophe(r) || unicode.Is(unicode.Cf, r):
	case r >= 0x0e00 && unicode.In(r, spaceless...):
		p.endWord(at)
		p.raw, p.from, p.isASCII = utf8.AppendRune(p.raw, r), at, false
		p.endWord(at + size)
	case unicode.In(r, unicode.L, unicode.M, unicode.N) || r >= utf8.RuneSelf && isAbbreviation(r):
		if len(p.raw) == 0 {
			p.from = at
		}
		p.raw, p.isASCII = utf8.AppendRune(p.raw, r), false
	default:
		p.endWord(at)
	}
}

// isApostrophe reports whether a character is a straight or a typographic apostrophe.
func isApostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '′'
}

// isAbbreviation reports whether a symbol abbreviates letters or numbers, as ㎏ does kg.
func isAbbreviation(r rune) bool {
	if !unicode.Is(unicode.S, r) {
		return false
	}
	for _, of := range string(norm.NFKC.PropertiesString(string(r)).Decomposition()) {
		if unicode.In(of, unicode.L, unicode.N) {
			return true
		}
	}
	return false
}

// spaceless lists the scripts from U+0E00 on that are written without spaces.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// endWord ends the current word, if there is one, before text[end].
func (p *placed) endWord(end int) {
	if len(p.raw) == 0 {
		return
	}
	word := p.raw
	if !p.isASCII {
		p.normal = p.normalizer.Append(p.normal[:0], word)
		word = word[:0]
		for _, r := range string(p.normal) {
			if unicode.In(r, unicode.L, unicode.M, unicode.N) {
				word = utf8.AppendRune(word, r)
			}
		}
	}
	p.raw, p.isASCII = word[:0], true
	p.last = 0
	if len(word) == 0 {
		return
	}
	start := p.from
	if len(p.words) == p.inChunk && p.chunk >= 0 {
		start = p.chunk // including the punctuation before it
	}
	p.words = append(p.words, placedWord{xxh3.Hash(word), uint32(start), uint32(end)})
}

// endChunk ends the text between two white spaces. Its last word includes the punctuation after it
// if text[end] is white space; other boundaries only end the word.
func (p *placed) endChunk(end int) {
	p.endWord(end)
	if len(p.words) > p.inChunk && (end == len(p.text) || spaceAt(p.text, end) > 0) {
		p.words[len(p.words)-1].end = uint32(end)
	}
	p.inChunk = len(p.words)
}

// fullWidth is the first byte of full-width letters.
const fullWidth = 0xef

// labelAt returns the size of the label of a choice at text[i:], as in "A)", "b)", "(C)", "D." or
// "E:", or 0. Its characters may be full-width.
func labelAt(text []byte, i int) int {
	letter, size := asciiAt(text[i:])
	if letter|0x20 < 'a' || letter|0x20 > 'j' {
		return 0
	}
	end, more := asciiAt(text[i+size:])
	if end == ')' || end == ']' || (end == '.' || end == ':') && letter < 'a' {
		return size + more
	}
	return 0
}

// asciiAt returns the ASCII character at the start of text, also if it is full-width, or 0 for any
// other character.
func asciiAt(text []byte) (c byte, size int) {
	r, size := utf8.DecodeRune(text)
	if r >= '！' && r <= '～' {
		r -= '！' - '!'
	}
	if size == 0 || r >= utf8.RuneSelf {
		return 0, size
	}
	return byte(r), size
}
