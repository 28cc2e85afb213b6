package markup

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// visible extracts all text of a page that a reader sees. It omits scripts, styles, templates,
// comments, titles (and so all of the head), frames, what is shown only without scripts, and all
// attributes, including alternative texts and tooltips. It does not evaluate style sheets, so text
// that they hide is included. It makes a single pass over any page.
type visible struct{}

// Visible appends all text of a page that a reader sees, as the extractor html-text does.
func Visible(dst, page []byte) []byte { return visible{}.Append(dst, page) }

func (visible) Append(dst, page []byte) []byte {
	w := newWriter(dst)
	lines := 0 // number of open elements with significant line ends
	for s := newScanner(page); ; {
		kind, element := s.next()
		switch kind {
		case html.ErrorToken:
			return w.out
		case html.TextToken:
			if lines > 0 {
				w.code(s.tokens.Text())
			} else {
				w.text(s.tokens.Text())
			}
			continue
		case html.StartTagToken:
			if preformatted(element) {
				lines++
			}
		case html.EndTagToken:
			if preformatted(element) && lines > 0 {
				lines--
			}
		}
		edge(&w, element)
	}
}

// edge separates the text before the start or the end of an element from what follows.
func edge(w *writer, element atom.Atom) {
	if block(element) {
		w.line()
	} else if cell(element) {
		w.space()
	}
}

// A scanner iterates over the visible tokens of a page.
type scanner struct {
	tokens    *html.Tokenizer
	templates int       // number of open templates
	foreign   int       // number of open svg and math elements, in which no element has raw text
	hidden    atom.Atom // the unseen element that is open, or 0
}

func newScanner(page []byte) scanner {
	return scanner{tokens: html.NewTokenizer(bytes.NewReader(bytes.TrimPrefix(page, bom)))}
}

// next returns the type of the next token and, for a tag, its element (0 if it is not an HTML
// element).
func (s *scanner) next() (html.TokenType, atom.Atom) {
	for {
		kind := s.tokens.Next()
		switch kind {
		case html.ErrorToken:
			return kind, 0
		case html.TextToken:
			if s.templates == 0 && s.hidden == 0 {
				return kind, 0
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			element := elementOf(s.tokens.Raw())
			if s.tag(kind, element) {
				return kind, element
			}
		}
	}
}

// elementOf returns the element of a raw tag. The tokenizer would allocate memory for its name.
func elementOf(tag []byte) atom.Atom {
	var name [16]byte // no relevant element has a longer name
	n := 0
	for _, c := range bytes.TrimPrefix(tag[1:], []byte("/")) {
		if space(c) || c == '/' || c == '>' {
			break
		}
		if n == len(name) {
			return 0
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		name[n] = c
		n++
	}
	return atom.Lookup(name[:n])
}

// tag tracks open elements, and reports whether the tag belongs to a visible element.
func (s *scanner) tag(kind html.TokenType, element atom.Atom) bool {
	switch {
	case element == atom.Svg || element == atom.Math:
		if kind == html.StartTagToken {
			s.foreign++
		} else if kind == html.EndTagToken && s.foreign > 0 {
			s.foreign--
			s.hidden = 0
		}
	case s.hidden != 0:
		if kind == html.EndTagToken && element == s.hidden {
			s.hidden = 0
		}
		return false
	case element == atom.Template:
		if kind == html.EndTagToken {
			s.templates = max(0, s.templates-1)
		} else {
			s.templates++
		}
		return false
	case s.foreign > 0:
		s.tokens.NextIsNotRawText()
		if unseen(element) && kind == html.StartTagToken {
			s.hidden = element
		} else if block(element) {
			s.foreign = 0 // a parser closes them here
		}
	case unseen(element):
		if kind != html.EndTagToken {
			s.hidden = element // <script/> is open: HTML has no self-closing elements
		}
	}
	return s.templates == 0 && !unseen(element)
}
