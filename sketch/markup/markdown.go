package markup

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown extracts the text of a Markdown document: CommonMark with the tables, the strikethrough
// and the task lists of GFM. It omits link targets and titles, alternative texts of images, front
// matter, and HTML tags; text between tags is extracted as visible does. A document that exceeds
// the limits, or has no text but markup, is returned unchanged.
type markdown struct {
	parser parser.Parser
}

func newMarkdown() *markdown {
	// The extension for bare links is not needed: they are text already.
	m := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	return &markdown{parser: m.Parser()}
}

func (m *markdown) Append(dst, document []byte) []byte {
	body := withoutFrontMatter(bytes.TrimPrefix(document, bom))
	if tame(body) {
		w := newWriter(dst)
		if tree := m.parse(body); tree != nil {
			appendTree(&w, tree, body)
		}
		if !blank(w.out[len(dst):]) {
			return w.out
		}
	}
	return append(dst, document...)
}

func (m *markdown) parse(body []byte) (tree ast.Node) {
	defer func() {
		if recover() != nil {
			// a bug in the library, the same each time: the document is returned unchanged
			tree = nil
		}
	}()
	return m.parser.Parse(text.NewReader(body))
}

// appendTree walks a tree without recursion, since emphasis may be nested as deep as the text is
// long.
func appendTree(w *writer, tree ast.Node, source []byte) {
	for n := tree; n != nil; {
		down := enter(w, n, source)
		if down && n.FirstChild() != nil {
			n = n.FirstChild()
			continue
		}
		leave(w, n)
		for n != tree && n.NextSibling() == nil {
			n = n.Parent()
			leave(w, n)
		}
		if n == tree {
			return
		}
		n = n.NextSibling()
	}
}

// enter appends the text of a node itself, and reports whether to visit its children.
func enter(w *writer, n ast.Node, source []byte) bool {
	if n.Type() == ast.TypeBlock && n.Kind() != extast.KindTableCell {
		w.line()
	}
	switch n := n.(type) {
	case *ast.Text:
		if n.IsRaw() {
			w.text(n.Segment.Value(source))
		} else {
			appendUnescaped(w, n.Segment.Value(source))
		}
		if n.HardLineBreak() {
			w.line()
		} else if n.SoftLineBreak() {
			w.space()
		}
	case *ast.String:
		w.text(n.Value)
	case *ast.AutoLink:
		w.text(n.Label(source))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		lines := n.Lines()
		for i := range lines.Len() {
			line := lines.At(i)
			w.code(line.Value(source))
			w.line()
		}
	case *ast.HTMLBlock:
		appendHTML(w, n, source)
	case *ast.Image, *ast.RawHTML, *ast.LinkReferenceDefinition:
		return false
	}
	return true
}

func leave(w *writer, n ast.Node) {
	if n.Kind() == extast.KindTableCell {
		w.space()
	} else if n.Type() == ast.TypeBlock {
		w.line()
	}
}

// appendHTML appends the visible text of an HTML block.
func appendHTML(w *writer, n *ast.HTMLBlock, source []byte) {
	var page []byte
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		page = append(page, line.Value(source)...)
	}
	if n.HasClosure() {
		page = append(page, n.ClosureLine.Value(source)...)
	}
	w.code(visible{}.Append(nil, page))
}

// withoutFrontMatter removes metadata before a document: YAML between lines of ---, or TOML between
// lines of +++.
func withoutFrontMatter(document []byte) []byte {
	for _, fence := range []string{"---", "+++"} {
		rest, ok := cutLine(document, fence)
		for ok && len(rest) > 0 {
			if body, closed := cutLine(rest, fence); closed {
				return body
			}
			_, rest, _ = bytes.Cut(rest, []byte("\n"))
		}
	}
	return document
}

// cutLine removes the first line if it equals line.
func cutLine(text []byte, line string) (rest []byte, ok bool) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest, string(bytes.TrimRight(first, " \t\r")) == line
}
