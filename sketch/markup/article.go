package markup

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of a page that is read as a tree, which takes more time and memory than its visible text.
const (
	maxPage     = 1 << 20 // bytes, without scripts, styles and comments
	maxElements = 20_000
	maxDepth    = 100
)

// leastShare is the smallest share that the main content has of the text outside of the page's
// frame. If it has less, the page may be a list of links, and what is left of it the copyright
// notice. Pages with equal contents then have at least half of that text in common, and a Jaccard
// similarity of about 1/3. docs/recipes/web.md has measurements.
const leastShare = .5

// article extracts the main content of a page. It removes the page's frame, and then what consists
// of links. If too little is left it extracts all that is outside of the frame, and all visible
// text if that is nothing or the page exceeds the limits.
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
	tree := parse(a.page)
	if tree == nil || !withinBounds(tree) {
		return dst
	}
	a.frame.remove(tree)
	rest := newWriter(a.rest[:0])
	appendNode(&rest, tree, false)
	a.rest = rest.out
	removeLinks(tree)
	w := newWriter(dst)
	appendNode(&w, tree, false)
	if found := len(w.out) - len(dst); float64(found) >= leastShare*float64(len(a.rest)) {
		return w.out
	}
	return append(dst, a.rest...)
}

// prune copies the page without its invisible parts, and reports whether it is within the limits.
// Formatting elements are removed too, and code elements lose their attributes: a parser reopens
// each distinct unclosed formatting element in every block, so that a page of 1 MB could become a
// tree of 10 GB.
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

// parse returns the tree of a page, or nil if the text is no page.
func parse(page []byte) (tree *html.Node) {
	// A bug in the parser must not end the run. It depends only on the page, so this page is always
	// read in the simpler way.
	defer func() {
		if recover() != nil {
			tree = nil
		}
	}()
	tree, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil
	}
	return tree
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
		edge(w, n.DataAtom)
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			appendNode(w, child, lines || preformatted(n.DataAtom))
		}
		edge(w, n.DataAtom)
	}
}
