package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A textLength is the length of an element's text in bytes, without white space around it.
type textLength struct{ all, unlinked int }

// removeLinks removes the blocks below an element that have more text in links than outside, such
// as menus that nothing names, and returns how much text the element had.
func removeLinks(n *html.Node) (had textLength) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		length := lengthOf(child, removeLinks)
		had = had.plus(length)
		if (block(child.DataAtom) || cell(child.DataAtom)) && 2*length.unlinked < length.all {
			n.RemoveChild(child)
		}
		child = next
	}
	return had
}

// measure returns how much text is below an element.
func measure(n *html.Node) (has textLength) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		has = has.plus(lengthOf(child, measure))
	}
	return has
}

// lengthOf returns the length of a node's text. inner is asked about what is below the node.
func lengthOf(n *html.Node, inner func(*html.Node) textLength) textLength {
	if n.Type == html.TextNode {
		length := len(strings.TrimSpace(n.Data))
		return textLength{length, length}
	}
	length := inner(n)
	if n.DataAtom == atom.A {
		length.unlinked = 0
	}
	return length
}

func (t textLength) plus(other textLength) textLength {
	return textLength{t.all + other.all, t.unlinked + other.unlinked}
}

func (t textLength) times(share float64) textLength {
	return textLength{int(share * float64(t.all)), int(share * float64(t.unlinked))}
}

// exceeds reports whether both lengths do.
func (t textLength) exceeds(most textLength) bool {
	return t.all > most.all && t.unlinked > most.unlinked
}
