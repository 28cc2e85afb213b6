package kinds

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Varies marks in a template what differs between texts.
const Varies = "<*>"

// mostTemplate is the number of bytes of a text, and mostWords the number of its words, that go
// into a template. The rest counts as varying.
const (
	mostTemplate = 4096
	mostWords    = 256
)

// A Template is what some texts have in common: words separated by white space, and Varies where
// they differ. Each character of a script written without spaces is a word. A word that differs
// keeps its common beginning and end, up to a punctuation character: (pid=17) and (pid=4) become
// (pid=<*>). A word that is only Varies matches any number of words. The zero Template has no text.
type Template struct {
	first  string // the first text, up to mostTemplate bytes
	begun  bool
	isCut  bool   // the first text was longer
	words  []word // nil while all texts equal the first
	varied bool
}

// A word is constant, or varies between a constant beginning and end.
type word struct {
	begin, end string
	varies     bool
	isJoined   bool // no white space precedes it
}

// isGap reports whether any number of words may take its place.
func (w word) isGap() bool { return w.varies && w.begin == "" && w.end == "" }

// fits reports whether a word of a text matches.
func (w word) fits(text []byte) bool {
	if !w.varies {
		return string(text) == w.begin
	}
	return len(text) >= len(w.begin)+len(w.end) && string(text[:len(w.begin)]) == w.begin &&
		string(text[len(text)-len(w.end):]) == w.end
}

// First returns the first text, or the first bytes of a long one.
func (t *Template) First() string { return t.first }

// Add generalizes the template to match a text.
func (t *Template) Add(text []byte) { t.add(text, &pieces{}) }

// add is Add with scratch space.
func (t *Template) add(text []byte, p *pieces) {
	isCut := len(text) > mostTemplate
	text = text[:min(len(text), mostTemplate)]
	switch {
	case !t.begun:
		t.first, t.begun, t.isCut = string(text), true, isCut
		return
	case !t.varied && string(text) == t.first && isCut == t.isCut:
		return
	case !t.varied:
		t.words, t.varied = t.wordsOfFirst(), true
	}
	p.split(text)
	switch {
	case t.fits(p.words):
	case len(p.words) == len(t.words) && !p.areJoined && t.keepsHalf(p.words):
		t.vary(p.words)
	default:
		if aligned := align(t.words, p.words); len(aligned) > 1 || len(p.words) != len(t.words) {
			t.words = aligned
			return
		}
		t.vary(p.words) // they have nothing in common
	}
}

// vary generalizes the words, one by one, to match a text with the same number of words.
func (t *Template) vary(text []piece) {
	for i, piece := range text {
		t.words[i] = t.words[i].with(piece)
	}
}

// wordsOfFirst returns the words of the first text.
func (t *Template) wordsOfFirst() (words []word) {
	var p pieces
	isCut := p.split([]byte(t.first)) || t.isCut
	at := 0
	for _, piece := range p.words {
		at += strings.Index(t.first[at:], string(piece.text))
		words = append(words, word{begin: t.first[at:][:len(piece.text)], isJoined: piece.isJoined})
		at += len(piece.text)
	}
	if isCut {
		words = append(words, word{varies: true})
	}
	return words
}

// keepsHalf reports whether at least half of the words have something in common with the word of a
// text in the same position. If not, the common words are probably shifted.
func (t *Template) keepsHalf(text []piece) bool {
	kept := 0
	for i, piece := range text {
		if !t.words[i].with(piece).isGap() {
			kept++
		}
	}
	return 2*kept >= len(text)
}

// fits reports whether the template already matches a text. It matches words from the left, and
// gives each gap as few words as possible.
func (t *Template) fits(text []piece) bool {
	gap, from := -1, 0 // the last gap, and the first word it took
	at := 0
	for i := 0; i < len(text); {
		switch {
		case at < len(t.words) && t.words[at].isGap():
			gap, from = at, i
			at++
		case at < len(t.words) && t.words[at].fits(text[i].text):
			at++
			i++
		case gap >= 0:
			from++
			at, i = gap+1, from
		default:
			return false
		}
	}
	for at < len(t.words) && t.words[at].isGap() {
		at++
	}
	return at == len(t.words)
}

// with returns the word generalized to match another one.
func (w word) with(p piece) word {
	text := p.text
	w.isJoined = w.isJoined && p.isJoined
	if w.fits(text) {
		return w
	}
	begin, end := commonBegin(w.begin, text), w.end
	if !w.varies {
		end = w.begin[len(begin):]
	}
	return word{begin: begin, end: commonEnd(end, text[len(begin):]), varies: true, isJoined: w.isJoined}
}

// commonBegin returns the common prefix, up to its last punctuation character.
func commonBegin(a string, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && !isSign(a[n-1]) {
		n--
	}
	return a[:n]
}

// commonEnd returns the common suffix, from its first punctuation character.
func commonEnd(a string, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && !isSign(a[len(a)-n]) {
		n--
	}
	return a[len(a)-n:]
}

// isSign reports whether b is neither a letter nor a digit.
func isSign(b byte) bool {
	return b < utf8.RuneSelf && (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z')
}

// likeness returns how much a word has in common with a word of a text: all, a beginning or an end,
// or nothing.
func (w word) likeness(text piece) uint16 {
	switch {
	case w.isGap():
		return 0
	case w.fits(text.text):
		return 4
	case !w.with(text).isGap():
		return 1
	}
	return 0
}

// align keeps the words in a heaviest common subsequence with a text of another length, weighted by
// likeness, and puts gaps where either has words in between.
func align(words []word, text []piece) []word {
	width := len(text) + 1
	alike := make([]uint16, len(words)*width)
	// the weight of the alignment after both positions
	common := make([]uint16, (len(words)+1)*width)
	for i := len(words) - 1; i >= 0; i-- {
		for j := len(text) - 1; j >= 0; j-- {
			c := max(common[(i+1)*width+j], common[i*width+j+1])
			if alike[i*width+j] = words[i].likeness(text[j]); alike[i*width+j] > 0 {
				c = max(c, common[(i+1)*width+j+1]+alike[i*width+j])
			}
			common[i*width+j] = c
		}
	}
	var aligned []word
	gap := func(isJoined bool) {
		if n := len(aligned); n == 0 || !aligned[n-1].isGap() {
			aligned = append(aligned, word{varies: true, isJoined: isJoined})
		}
	}
	i, j := 0, 0
	for i < len(words) && j < len(text) {
		here := common[i*width+j]
		switch {
		case words[i].isGap():
			gap(words[i].isJoined)
			i++
		case alike[i*width+j] > 0 && here == common[(i+1)*width+j+1]+alike[i*width+j]:
			aligned = append(aligned, words[i].with(text[j]))
			i++
			j++
		case here == common[(i+1)*width+j]:
			gap(words[i].isJoined)
			i++
		default:
			gap(text[j].isJoined)
			j++
		}
	}
	switch {
	case i < len(words):
		gap(words[i].isJoined)
	case j < len(text):
		gap(text[j].isJoined)
	}
	return aligned
}

// current returns the words of the template.
func (t *Template) current() []word {
	if t.varied {
		return t.words
	}
	return t.wordsOfFirst()
}

// join generalizes the template to match the texts of another template with the same number of
// words. It copies what it shares with others.
func (t *Template) join(other *Template) {
	words := slices.Clone(t.current())
	for i, w := range other.current() {
		switch own := words[i]; {
		case !w.varies:
			words[i] = own.with(piece{[]byte(w.begin), w.isJoined})
		case !own.varies:
			words[i] = w.with(piece{[]byte(own.begin), own.isJoined})
		default:
			words[i].begin, words[i].end = commonBegin(own.begin, []byte(w.begin)), commonEnd(own.end, []byte(w.end))
		}
	}
	t.words, t.varied = words, true
}

// String returns the template with a single space wherever white space separates words.
func (t *Template) String() string {
	words := t.current()
	var b strings.Builder
	for i, w := range words {
		if i > 0 && w.isJoined && w.isGap() && words[i-1].isGap() {
			continue
		}
		if i > 0 && !w.isJoined {
			b.WriteByte(' ')
		}
		b.WriteString(w.begin)
		if w.varies {
			b.WriteString(Varies)
			b.WriteString(w.end)
		}
	}
	return b.String()
}
