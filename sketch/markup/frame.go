package markup

import (
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A frame finds the parts of a page that a site repeats around its contents: navigation, headers,
// footers, side bars and links to other pages. It recognises them by element, ARIA role, class and
// identifier. It owns scratch memory.
type frame struct {
	classes map[string]bool // whether a class names a part of the frame
}

// mostText is the share of a page's text, within links and outside of them, above which an element
// is not part of the frame, whatever its name: themes give classes such as has-sidebar to what
// surrounds everything.
const mostText = .75

// remove removes the frame from a tree.
func (f *frame) remove(tree *html.Node) {
	clear(f.classes)
	f.prune(tree, measure(tree).times(mostText))
}

// prune removes the parts of the frame below an element. What only a name says to be one of them is
// not if it has more text than most.
func (f *frame) prune(n *html.Node, most textLength) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode {
			if surrounds(child) || f.named(child) && !measure(child).exceeds(most) {
				n.RemoveChild(child)
			} else {
				f.prune(child, most)
			}
		}
		child = next
	}
}

// surrounds reports whether an element, by its type or an attribute, is not part of the contents:
// it belongs to the frame, is a control, or is not shown.
func surrounds(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Header, atom.Footer, atom.Aside, atom.Select, atom.Button, atom.Textarea:
		return true
	case atom.Html, atom.Body, atom.Main, atom.Article:
		return false
	}
	for _, a := range n.Attr {
		switch {
		case a.Key == "role" && roles[strings.ToLower(a.Val)], a.Key == "hidden",
			a.Key == "style" && notShown().MatchString(a.Val):
			return true
		}
	}
	return false
}

// named reports whether an element has the class or the identifier of a part of the frame.
func (f *frame) named(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Body, atom.Main, atom.Article, atom.A, atom.Code, atom.Pre, atom.Td, atom.Tr:
		return false
	}
	for _, a := range n.Attr {
		if a.Key == "class" && f.class(a.Val) || a.Key == "id" && frameID().MatchString(a.Val) {
			return true
		}
	}
	return false
}

// class reports whether a class names a part of the frame. Each is matched once for a page.
func (f *frame) class(name string) bool {
	named, known := f.classes[name]
	if !known {
		if f.classes == nil {
			f.classes = map[string]bool{}
		}
		named = frameClass().MatchString(name) && !contentClass().MatchString(name)
		f.classes[name] = named
	}
	return named
}

// roles are the ARIA landmarks and widgets that surround contents.
var roles = map[string]bool{
	"navigation": true, "banner": true, "contentinfo": true, "complementary": true, "search": true,
	"menu": true, "menubar": true, "alert": true, "alertdialog": true, "dialog": true,
}

var (
	notShown = onFirstUse(`(?i)display\s*:\s*none`)

	// The classes that Mozilla's Readability considers unlikely to have contents, without those
	// that documents give to their own parts, and those that it considers likely to all the same.
	frameClass = onFirstUse(`(?i)nav|-ad-|ad-break|agegate|banner|breadcrumb|combx|comment|community|` +
		`cover-wrap|disqus|footer|gdpr|header|menu|pager|pagination|popup|related|remark|replies|rss|shoutbox|` +
		`sidebar|skyscraper|social|sponsor|supplemental`)
	contentClass = onFirstUse(`(?i)and|article|body|column|content|main|mathjax|shadow`)

	// Identifiers are also made from the headings of sections, such as "related-work", so the whole
	// of one must name a part of the frame.
	frameID = onFirstUse(`(?i)^(?:(?:top|bottom|left|right|main|page|primary|secondary|global|side|site|sub)` +
		`[-_]?)?(?:nav|navbar|navigation|menu|sidebar|header|footer|masthead|banner|breadcrumbs?)` +
		`(?:[-_]?(?:bar|top|bottom|left|right|wrap|wrapper|container|area|links|\d+))?$`)
)

// onFirstUse compiles an expression when it is first used: most runs never do, and compiling these
// would be a part of every start.
func onFirstUse(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
