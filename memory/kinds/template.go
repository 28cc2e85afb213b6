package kinds

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Varies stands in a template for what differs from text to text.
const Varies = "<*>"

// mostTemplate bounds the bytes of a text that its template is made of, and mostWords its words:
// the rest of a text varies.
const (
	mostTemplate = 4096
	mostWords    = 256
)

// A Template is what some texts have in common: words, between which white space stands, and Varies
// where they differ. Of a word that differs stays what it begins and ends with in all texts, up to
// a sign: (pid=17) and (pid=4) become (pid=<*>). A word that is all Varies stands for any number of
// words. The zero Template has no text.
type Template struct {
	words []word
	begun bool
	split [][]byte // scratch
}

// A word is one that all texts have, or varies between what it begins and ends with.
type word struct {
	begin, end string
	varies     bool
}

// isGap reports whether any words may stand there.
func (w word) isGap() bool { return w.varies && w.begin == "" && w.end == "" }

// fits reports whether a word of a text is like that.
func (w word) fits(text []byte) bool {
	if !w.varies {
		return string(text) == w.begin
	}
	return len(text) >= len(w.begin)+len(w.end) && string(text[:len(w.begin)]) == w.begin &&
		string(text[len(text)-len(w.end):]) == w.end
}

// Add makes the template one of this text, too.
func (t *Template) Add(text []byte) {
	cut := len(text) > mostTemplate
	t.split = splitWords(t.split[:0], text[:min(len(text), mostTemplate)])
	if len(t.split) > mostWords {
		t.split, cut = t.split[:mostWords], true
	}
	switch {
	case !t.begun:
		t.begun = true
		for _, text := range t.split {
			t.words = append(t.words, word{begin: string(text)})
		}
		if cut {
			t.words = append(t.words, word{varies: true})
		}
	case t.fits(t.split):
	case len(t.split) == len(t.words):
		for i, text := range t.split {
			t.words[i] = t.words[i].with(text)
		}
	default:
		t.words = align(t.words, t.split)
	}
	clear(t.split)
}

// splitWords appends the words of a text.
func splitWords(dst [][]byte, text []byte) [][]byte {
	for word := range bytes.FieldsSeq(text) {
		dst = append(dst, word)
	}
	return dst
}

// fits reports whether a text is of the template already: from the left each word fits, and a gap
// takes as few as it can.
func (t *Template) fits(text [][]byte) bool {
	gap, from := -1, 0 // the last gap, and what it begins with
	at := 0
	for i := 0; i < len(text); {
		switch {
		case at < len(t.words) && t.words[at].isGap():
			gap, from = at, i
			at++
		case at < len(t.words) && t.words[at].fits(text[i]):
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

// with is the word with what another text has in its place.
func (w word) with(text []byte) word {
	if w.fits(text) {
		return w
	}
	begin, end := commonBegin(w.begin, text), w.end
	if !w.varies {
		end = w.begin[len(begin):]
	}
	return word{begin: begin, end: commonEnd(end, text[len(begin):]), varies: true}
}

// commonBegin is what both begin with, up to the last sign of it.
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

// commonEnd is what both end with, from the first sign of it.
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

// isSign reports whether a byte is a character that is no letter and no digit.
func isSign(b byte) bool {
	return b < utf8.RuneSelf && (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z')
}

// likeness is how much a word and one of a text have in common: all, a beginning or an end, or
// nothing.
func (w word) likeness(text []byte) uint16 {
	switch {
	case w.isGap():
		return 0
	case w.fits(text):
		return 4
	case !w.with(text).isGap():
		return 1
	}
	return 0
}

// align keeps of the words those of a heaviest common subsequence with a text of another number of
// words, by their likeness, and puts a gap where one of both has others between them.
func align(words []word, text [][]byte) []word {
	width := len(text) + 1
	alike := make([]uint16, len(words)*width)
	common := make([]uint16, (len(words)+1)*width) // the weight of what is right of both places
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
	gap := func() {
		if n := len(aligned); n == 0 || !aligned[n-1].isGap() {
			aligned = append(aligned, word{varies: true})
		}
	}
	i, j := 0, 0
	for i < len(words) && j < len(text) {
		here := common[i*width+j]
		switch {
		case words[i].isGap():
			gap()
			i++
		case alike[i*width+j] > 0 && here == common[(i+1)*width+j+1]+alike[i*width+j]:
			aligned = append(aligned, words[i].with(text[j]))
			i++
			j++
		case here == common[(i+1)*width+j]:
			gap()
			i++
		default:
			gap()
			j++
		}
	}
	if i < len(words) || j < len(text) {
		gap()
	}
	return aligned
}

// String is the template, with one space between its words.
func (t *Template) String() string {
	var b strings.Builder
	for i, w := range t.words {
		if i > 0 {
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
