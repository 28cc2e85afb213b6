package markup

import (
	"bytes"

	"golang.org/x/net/html/atom"
)

// guessed is the number of bytes that [Guess] examines.
const guessed = 64 << 10

// Guess names the markup of a text, by its first 64 KiB alone. It is the first of these that holds:
//
//   - html, where the text begins with <!doctype html>, <html>, <head> or <body>;
//   - markdown, where it has one of the marks that plain text hardly ever has: a # heading between
//     blank lines, a pair of code fences, an inline link [text](target), the ruler |---|---| of a
//     table, or words in **bold**;
//   - html, where it begins with any other tag of a page's content;
//   - none.
//
// White space, a byte order mark, an XML declaration and comments before the beginning are passed
// over; front matter makes no difference. A README that begins with <h1 align="center"> and goes on
// in Markdown is markdown, whose HTML is read too.
func Guess(text []byte) string {
	beginning := text[:min(len(text), guessed)]
	element, page := firstTag(beginning)
	switch {
	case page:
		return "html"
	case marked(withoutFrontMatter(bytes.TrimPrefix(beginning, bom))):
		return "markdown"
	case block(element) || cell(element) || unseen(element) || formatting(element) || inPage(element):
		return "html"
	}
	return "none"
}

// inPage reports whether an element may begin a page or a part of it, beyond those tested
// elsewhere.
func inPage(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Base, atom.Code, atom.Img, atom.Link, atom.Meta, atom.Span, atom.Svg, atom.Template:
		return true
	}
	return false
}

// firstTag returns the element of the tag that a text begins with, if any, and whether it belongs
// to a whole page.
func firstTag(text []byte) (element atom.Atom, page bool) {
	text = bytes.TrimPrefix(text, bom)
	for {
		text = bytes.TrimLeft(text, " \t\r\n\f")
		end := "-->"
		if bytes.HasPrefix(text, []byte("<?xml")) {
			end = "?>"
		} else if !bytes.HasPrefix(text, []byte("<!--")) {
			break
		}
		_, rest, closed := bytes.Cut(text, []byte(end))
		if !closed {
			return 0, false
		}
		text = rest
	}
	if len(text) == 0 || text[0] != '<' {
		return 0, false
	}
	name := text[1:]
	if i := bytes.IndexAny(name, " \t\r\n\f/>"); i >= 0 {
		name = name[:i]
	} else {
		return 0, false // no tag ends here
	}
	if bytes.EqualFold(name, []byte("!doctype")) {
		kind := bytes.TrimLeft(text[len("<!doctype"):], " \t\r\n\f")
		return 0, len(kind) >= 4 && bytes.EqualFold(kind[:4], []byte("html"))
	}
	element = atom.Lookup(bytes.ToLower(name))
	return element, element == atom.Html || element == atom.Head || element == atom.Body
}

// marked reports whether a text contains typical Markdown.
func marked(text []byte) bool {
	fences := 0
	var before []byte // the previous line
	heading := false  // the previous line is a heading after a blank line
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\r\n")
		switch {
		case heading && len(line) == 0, ruler(line) && bytes.IndexByte(before, '|') >= 0, linked(line), bold(line):
			return true
		case bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")):
			if fences++; fences == 2 {
				return true
			}
		}
		heading = len(before) == 0 && isHeading(line)
		before = line
	}
	return heading
}

// isHeading reports whether a line consists of 1 to 6 #, a space and words.
func isHeading(line []byte) bool {
	words := bytes.TrimLeft(line, "#")
	level := len(line) - len(words)
	return 1 <= level && level <= 6 && len(words) > 1 && words[0] == ' '
}

// ruler reports whether a line is the one under the header of a table.
func ruler(line []byte) bool {
	return bytes.IndexByte(line, '|') >= 0 && bytes.Contains(line, []byte("--")) && len(bytes.Trim(line, "|:- \t")) == 0
}

// linked reports whether a line has an inline link whose target has no white space, except before
// its title.
func linked(line []byte) bool {
	for {
		i := bytes.Index(line, []byte("]("))
		if i < 0 {
			return false
		}
		label, target := line[:i], line[i+2:]
		line = target
		open := bytes.LastIndexByte(label, '[')
		if open < 0 || open == len(label)-1 || open > 0 && (alphanumeric(label[open-1]) || label[open-1] == ')' ||
			label[open-1] == ']') {
			continue // [](int x) and a[i](x) are code
		}
		if end := bytes.IndexAny(target, " \t()"); end > 0 &&
			(target[end] == ')' || bytes.HasPrefix(target[end:], []byte(` "`))) {
			return true
		}
	}
}

// bold reports whether a line contains **words**.
func bold(line []byte) bool {
	stars := []byte("**")
	for from := 0; ; {
		i := bytes.Index(line[from:], stars)
		if i < 0 {
			return false
		}
		open := from + i
		from = open + 2
		if open > 0 && (alphanumeric(line[open-1]) || line[open-1] == '*') || from == len(line) || line[from] == ' ' ||
			line[from] == '*' {
			continue
		}
		end := bytes.Index(line[from:], stars)
		if end < 0 {
			return false
		}
		end += from
		if line[end-1] != ' ' && (end+2 == len(line) || !alphanumeric(line[end+2]) && line[end+2] != '*') {
			return true
		}
	}
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}
