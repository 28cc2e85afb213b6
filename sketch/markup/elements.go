package markup

import "golang.org/x/net/html/atom"

// block tells an element that begins and ends a line.
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

// cell tells an element that is set apart from the next by a space.
func cell(a atom.Atom) bool { return a == atom.Td || a == atom.Th || a == atom.Button }

// preformatted tells an element whose lines count.
func preformatted(a atom.Atom) bool {
	switch a {
	case atom.Pre, atom.Textarea, atom.Listing, atom.Xmp, atom.Plaintext:
		return true
	}
	return false
}

// unseen tells an element whose content is not on the page: code, what only shows without scripts
// or frames, and the title, which stands in the frame of the window or is a hint. They are all that
// a head has in it.
func unseen(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Noembed, atom.Noframes, atom.Iframe, atom.Title:
		return true
	}
	return false
}

// formatting tells an element that a parser reopens in each block until it is closed. They say
// nothing about where text belongs, and a page may leave hundreds of them open; so they are cut out
// before a page is parsed. (`a` and `code` are such elements too, but of use; see [article].)
func formatting(a atom.Atom) bool {
	switch a {
	case atom.B, atom.Big, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt,
		atom.U:
		return true
	}
	return false
}
