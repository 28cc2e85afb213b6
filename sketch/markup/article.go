package markup

import (
	"bytes"
	"log/slog"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of a page whose main content is searched. The search takes time proportional to the size
// of the page and, on malicious pages, also to its depth or number of elements.
const (
	maxPage     = 1 << 20 // bytes, without scripts, styles and comments
	maxElements = 20_000
	maxDepth    = 100
)

// article extracts the main content of a page with the algorithm of Mozilla's Readability. If it
// finds none, or the page exceeds the limits, it extracts all visible text.
type article struct {
	page []byte // without its invisible parts
}

func (a *article) Append(dst, page []byte) []byte {
	if a.prune(page) {
		if content := mainContent(a.page); content != nil {
			w := newWriter(dst)
			appendNode(&w, content, false)
			if !blank(w.out[len(dst):]) {
				return w.out
			}
		}
	}
	return visible{}.Append(dst, page)
}

// prune copies the page without its invisible parts, and reports whether it is within the limits.
// Formatting elements are removed too, and code elements lose their attributes: a parser reopens
// each distinct unclosed formatting element in every block, so that a page of 1 MB could become a
// tree of 10 GB. Without the JSON-LD in scripts, the main content depends only on the page and not
// on the order of a map. The two highest headings become the third: the search drops a heading
// similar to the title, as far as it has Latin letters, and its idea of the title varies.
func (a *article) prune(page []byte) bool {
	a.page = a.page[:0]
	elements := 0
	for s := newScanner(page); ; {
		kind, element := s.next()
		switch {
		case kind == html.ErrorToken:
			return true
		case formatting(element):
			continue
		case element == atom.Code && kind == html.StartTagToken:
			a.page = append(a.page, "<code>"...)
		case element == atom.H1 || element == atom.H2:
			tag := s.tokens.Raw()
			level := bytes.IndexAny(tag, "12")
			a.page = append(append(append(a.page, tag[:level]...), '3'), tag[level+1:]...)
		default:
			a.page = append(a.page, s.tokens.Raw()...)
		}
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			elements++
		}
		if elements > maxElements || len(a.page) > maxPage {
			return false
		}
	}
}

// mainContent returns the element with the main content, if it finds one.
func mainContent(page []byte) (content *html.Node) {
	// A bug in the libraries must not end the run. They depend only on the page, so this page is
	// always read in the simpler way.
	defer func() {
		if recover() != nil {
			content = nil
		}
	}()
	tree, err := html.Parse(bytes.NewReader(page))
	if err != nil || !withinBounds(tree) {
		return nil
	}
	search := readability.NewParser()
	search.Logger = slog.New(slog.DiscardHandler)
	search.DisableJSONLD = true
	found, err := search.ParseAndMutate(tree, nil)
	if err != nil {
		return nil
	}
	return found.Node
}

// withinBounds measures a tree. A parser may create more elements than the page has tags, and nest
// them deeper.
func withinBounds(tree *html.Node) bool {
	nodes, depth := 0, 0
	for n := tree; n != nil; {
		if nodes++; nodes > 4*maxElements || depth > maxDepth {
			return false
		}
		if n.FirstChild != nil {
			n, depth = n.FirstChild, depth+1
			continue
		}
		for n != nil && n.NextSibling == nil {
			n, depth = n.Parent, depth-1
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return true
}

// appendNode appends the text of an element as visible does.
func appendNode(w *writer, n *html.Node, lines bool) {
	if n.Type == html.TextNode {
		if lines {
			w.code([]byte(n.Data))
		} else {
			w.text([]byte(n.Data))
		}
		return
	}
	if n.Type != html.ElementNode {
		return
	}
	element := atom.Lookup([]byte(n.Data)) // the search renames elements
	edge(w, element)
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		appendNode(w, child, lines || preformatted(element))
	}
	edge(w, element)
}
