// Package chinese is a tokeniser for package sketch that knows the words of Chinese. It is a package of its own since
// it costs what no other does: 1.2 MB of dictionary in the program and, once it is loaded, half a second and 80 MB of
// memory. Build with the tag ne, or gse embeds all its dictionaries, 30 MB that are not used.
package chinese

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-ego/gse"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// dictionary has a word and its count on each line; see dictionary.py and NOTICE.
//
//go:embed dictionary.txt.gz
var dictionary []byte

// A Dictionary knows the words of Chinese, in simplified and traditional characters. It is safe for concurrent use.
type Dictionary struct {
	words gse.Segmenter
}

// Load returns the dictionary of the package, which is read when Load is first called.
var Load = sync.OnceValues(func() (*Dictionary, error) {
	z, err := gzip.NewReader(bytes.NewReader(dictionary))
	if err != nil {
		return nil, fmt.Errorf("chinese dictionary: %w", err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("chinese dictionary: %w", err)
	}
	d := &Dictionary{words: gse.Segmenter{SkipLog: true, NotLoadHMM: true}}
	if err := d.words.LoadDictStr(string(text)); err != nil {
		return nil, fmt.Errorf("chinese dictionary: %w", err)
	}
	return d, nil
})

// Tokenizer returns a tokeniser that differs from the word tokeniser of package sketch in one thing: runs of Han
// characters are cut into the sequence of dictionary words that is likeliest by their counts, each word taken for
// itself; a character that is in no word is a token. Give each goroutine its own.
func (d *Dictionary) Tokenizer() sketch.Tokenizer {
	others, err := sketch.NewTokenizer("word")
	if err != nil {
		panic(err) // the name is right
	}
	return &tokenizer{dictionary: d, others: others}
}

type tokenizer struct {
	dictionary *Dictionary
	others     sketch.Tokenizer
}

func (t *tokenizer) Append(dst *sketch.Tokens, text []byte) {
	for len(text) > 0 {
		n := span(text, false)
		t.others.Append(dst, text[:n])
		text = text[n:]
		n = span(text, true)
		for _, word := range t.dictionary.words.Segment(text[:n]) {
			dst.Add(text[word.Start():word.End()])
		}
		text = text[n:]
	}
}

// span returns the length of the text before the first code point that is Han or not Han.
func span(text []byte, han bool) int {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if isHan(r) != han {
			return i
		}
		i += size
	}
	return len(text)
}

// isHan reports whether r is a character of words; 々 and 〇 are, signs of the Han script such as U+2E80 are not.
func isHan(r rune) bool { return r > 0x2e7f && unicode.Is(unicode.Han, r) && unicode.Is(unicode.L, r) }
