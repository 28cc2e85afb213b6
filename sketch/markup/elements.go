package markup

import "golang.org/x/net/html/atom"

// block reports whether an element begins and ends a line.
func block(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center,
		atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption,
		atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol,
		atom.Optgroup, atom.Option, atom.P, atom.Plaintext, atom.Pre,
		atom.Section, atom.Select, atom.Summary, atom.Table, atom.Tbody, atom.Textarea, atom.Tfoot, atom.Thead, atom.Tr,
		atom.Ul, atom.Xmp:
		return true
	}
	return false
}

// cell reports whether a space separates an element from the next.
func cell(a atom.Atom) bool { return a == atom.Td || a == atom.Th || a == atom.Button }

// preformatted reports whether line ends in an element are significant.
func preformatted(a atom.Atom) bool {
	switch a {
	case atom.Pre, atom.Textarea, atom.Listing, atom.Xmp, atom.Plaintext:
		return true
	}
	return false
}

// unseen reports whether the content of an element is not visible: code, what is only shown without
// scripts or frames, and the title, which is shown outside of the page. A head contains nothing
// else.
func unseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Noembed, atom.Noframes, atom.Iframe, atom.Title:
		return true
	}
	return false
}

// formatting reports whether a parser reopens an element in each block until it is closed. Such
// elements do not affect where text belongs, and a page may leave hundreds of them open, so they
// are removed before parsing. (`a` and `code` are such elements too, but are needed; see
// [article].)
func formatting(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt,
		atom.U:
		return true
	}
	return false
}
