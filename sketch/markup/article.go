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

// leastShare is the smallest share that the main content has of the text outside of the page's
// frame. If the search finds less, it may have mistaken a remark for the content: on a page that is
// a list, it may return the copyright notice. Pages with equal contents then have at least half of
// that text in common, and a Jaccard similarity of about 1/3. docs/recipes/web.md has measurements.
const leastShare = .5

// article extracts the main content of a page. It removes the page's frame, then searches the rest
// with the algorithm of Mozilla's Readability. If that finds too little it extracts all of the
// rest, and all visible text if the rest is empty or the page exceeds the limits.
type article struct {
	page  []byte // without its invisible parts
	rest  []byte // the text outside of the frame
	frame frame
}

func (a *article) Append(dst, page []byte) []byte {
	if a.prune(page) {
		if text := a.content(dst); !blank(text[len(dst):]) {
			return text
		}
	}
	return visible{}.Append(dst, page)
}

// content appends the main content of the pruned page: nothing if it finds none.
func (a *article) content(dst []byte) []byte {
	tree, err := html.Parse(bytes.NewReader(a.page))
	if err != nil || !withinBounds(tree) {
		return dst
	}
	a.frame.remove(tree)
	rest := newWriter(a.rest[:0])
	appendNode(&rest, tree, false)
	a.rest = rest.out
	if main := search(tree); main != nil {
		w := newWriter(dst)
		appendNode(&w, main, false)
		if found := len(w.out) - len(dst); float64(found) >= leastShare*float64(len(a.rest)) {
			return w.out
		}
	}
	return append(dst, a.rest...)
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

// search returns the element with the main content, if it finds one. It makes a single attempt: if
// an attempt finds little, further ones would accept what looks like a frame.
func search(tree *html.Node) (content *html.Node) {
	// A bug in the library must not end the run. It depends only on the page, so this page is
	// always read in the simpler way.
	defer func() {
		if recover() != nil {
			content = nil
		}
	}()
	parser := readability.NewParser()
	parser.Logger = slog.New(slog.DiscardHandler)
	parser.DisableJSONLD = true
	parser.CharThresholds = 1
	found, err := parser.ParseAndMutate(tree, nil)
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
	switch n.Type {
	case html.TextNode:
		lineEnd := byte(' ')
		if lines {
			lineEnd = '\n'
		}
		appendTo(w, n.Data, lineEnd)
	case html.ElementNode, html.DocumentNode:
		element := atom.Lookup([]byte(n.Data)) // the search renames elements
		edge(w, element)
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			appendNode(w, child, lines || preformatted(element))
		}
		edge(w, element)
	}
}
