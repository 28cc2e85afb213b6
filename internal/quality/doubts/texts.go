package doubts

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Rule holds the settings that doubts about texts depend on.
type Rule struct {
	Markup      bool   // text is extracted from HTML or Markdown
	Preset      string // empty for the default
	ByWords     bool   // each code point of a script without spaces is a token
	ShingleSize int    // in tokens; 0 if texts are not compared by shingles of words
}

// Texts examines the first texts of a run. It is safe for concurrent use.
type Texts struct {
	rule      Rule
	report    func(Doubt)
	remaining atomic.Int64 // texts still to examine
	lock      sync.Mutex
	seen      int
	html      int
	words     int
	// letters, and those of scripts written without spaces
	letters, unspaced int
	different         map[uint64]struct{} // hashes of the first texts
	reported          map[string]bool
	all               []Doubt
}

const (
	looked     = 1000 // texts
	leastPages = 20   // HTML pages that suffice for a doubt
	lookedAt   = 256  // bytes of a text

	// --preset passages was measured on texts of 12 to 400 words, and the default on documents of
	// at least a few sentences.
	longPassage  = 600
	shortestText = 6

	// A field that is not text, such as a language, an id or a category, shows soon.
	firstTexts    = 100
	fewDifferent  = 10
	wordsOfLabels = 2 // on average, at most
)

// NewTexts returns a Texts that calls say with each doubt as soon as it arises, once for each.
func NewTexts(rule Rule, say func(Doubt)) *Texts {
	t := &Texts{rule: rule, report: say, reported: map[string]bool{}, different: map[uint64]struct{}{}}
	t.remaining.Store(looked)
	return t
}

// Examine examines a text. After the first texts it returns at once.
func (t *Texts) Examine(text []byte) {
	if t.remaining.Load() <= 0 || t.remaining.Add(-1) < 0 {
		return
	}
	words, letters, unspaced := measure(text[:min(len(text), lookedAt)])
	words = words * len(text) / max(1, min(len(text), lookedAt))
	t.lock.Lock()
	defer t.lock.Unlock()
	t.seen++
	t.words += words
	t.letters += letters
	t.unspaced += unspaced
	if isPage(text) {
		t.html++
	}
	if !t.rule.Markup && t.html >= leastPages && 2*t.html > t.seen {
		t.doubt(Doubt{"html", "the texts are HTML pages, which are compared with their tags and navigation",
			"give --markup html, so that their content is compared"})
	}
	if t.seen <= firstTexts {
		t.different[xxh3.Hash(text)] = struct{}{}
	}
	switch t.seen {
	case firstTexts:
		t.judgeField()
	case looked:
		t.judge()
	}
}

// judgeField is called when enough texts were seen to distinguish a field of labels from one of
// texts.
func (t *Texts) judgeField() {
	if t.rule.Preset != "" || t.rule.ShingleSize == 0 || 2*t.unspaced > t.letters {
		return
	}
	const advice = "is this the field with the text? give --field, or --field auto, which looks for it"
	switch words := float64(t.words) / float64(t.seen); {
	case words <= wordsOfLabels:
		t.doubt(Doubt{"field", fmt.Sprintf("the first %d texts have %s on average", t.seen, inWords(words)), advice})
	case len(t.different) <= fewDifferent && words < shortestText:
		t.doubt(Doubt{"field", fmt.Sprintf("of the first %d texts %d are different, of %s on average", t.seen,
			len(t.different), inWords(words)), advice})
	}
}

// inWords describes a mean number of words.
func inWords(mean float64) string {
	if text := fmt.Sprintf("%.2g", mean); text != "1" {
		return text + " words"
	}
	return "1 word"
}

// judge is called when enough texts were seen.
func (t *Texts) judge() {
	words := t.words / t.seen
	switch r := t.rule; {
	case r.ShingleSize == 0:
	case r.ByWords && r.ShingleSize <= 2 && 2*t.unspaced > t.letters:
		t.doubt(Doubt{"spaces", fmt.Sprintf("most letters are of a script without spaces, each of which counts as a "+
			"word, and shingles have %d", r.ShingleSize),
			"give --tokenize word-grams"})
	case r.Preset == "passages" && words > longPassage:
		t.doubt(Doubt{"long", fmt.Sprintf("the texts have %d words on average, and --preset passages is for short ones",
			words), "leave --preset out"})
	case r.Preset == "" && r.ShingleSize >= 5 && words < shortestText && 2*t.unspaced <= t.letters &&
		!t.reported["field"]:
		t.doubt(Doubt{"short", fmt.Sprintf("the texts have %d words on average, fewer than two shingles of %d", words,
			r.ShingleSize), "give --preset passages, or logs for lines of logs, to find those that differ in a word"})
	}
}

func (t *Texts) doubt(d Doubt) {
	if t.reported[d.Name] {
		return
	}
	t.reported[d.Name] = true
	t.all = append(t.all, d)
	t.report(d)
}

// All returns the doubts so far.
func (t *Texts) All() []Doubt {
	if t == nil {
		return nil
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.all
}

// isPage reports whether a text is a complete HTML document.
func isPage(text []byte) bool {
	head := bytes.TrimLeft(text[:min(len(text), 256)], "\ufeff \t\r\n")
	if len(head) == 0 || head[0] != '<' {
		return false
	}
	head = bytes.ToLower(head)
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html"))
}

// unspacedScripts lists scripts that are written without spaces between words.
var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// measure counts words, letters, and letters of scripts without spaces.
func measure(text []byte) (words, letters, unspaced int) {
	inWord := false
	for len(text) > 0 {
		if c := text[0]; c < utf8.RuneSelf { // as below, without tables
			isLetter := c|' '-'a' < 26
			isWord := isLetter || c-'0' < 10
			if isWord && !inWord {
				words++
			}
			if isLetter {
				letters++
			}
			inWord, text = isWord, text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch isWord := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r); {
		case !isWord:
			inWord = false
			continue
		case !inWord:
			words++
			inWord = true
		}
		if unicode.IsLetter(r) {
			letters++
			if r > unicode.MaxLatin1 && unicode.In(r, unspacedScripts...) {
				unspaced++
			}
		}
	}
	return words, letters, unspaced
}
