package markup

import (
	"bytes"
	"fmt"
	"strings"
)

// Names lists the names that [New] accepts.
var Names = []string{"none", "html", "html-text", "markdown", "auto"}

// An Extractor extracts the text to compare from a record's text. It owns scratch memory, so each
// goroutine needs its own.
type Extractor interface {
	// Append appends the text to be compared to dst. It does not keep text. If text is valid UTF-8
	// the result is too, and it is at most three times as long. Runs of white space become one
	// space, or one line end where a block or a line of code ends; `none`, and `auto` on plain
	// text, keep them.
	Append(dst, text []byte) []byte
}

// New returns the extractor of that name.
//
//	none       the text itself
//	html       the main content of a page: no menus, side bars or footers; where no main content
//	           is found, all text outside of these, or all visible text
//	html-text  all visible text of a page
//	markdown   the text of a Markdown document (GFM): code and table cells, but no link targets,
//	           alternative texts or front matter
//	auto       html, markdown or none, as [Guess] says
func New(name string) (Extractor, error) {
	switch name {
	case "none":
		return none{}, nil
	case "html":
		return &article{}, nil
	case "html-text":
		return visible{}, nil
	case "markdown":
		return newMarkdown(), nil
	case "auto":
		return &auto{page: &article{}, document: newMarkdown()}, nil
	}
	return nil, fmt.Errorf("unknown markup %q: choose one of %s", name, strings.Join(Names, ", "))
}

// Version returns the version of an extractor's rule, from 1. It increases when the rule changes,
// so that an index does not compare texts that were extracted in different ways.
func Version(name string) int {
	if name == "html" || name == "auto" {
		return 2
	}
	return 1
}

type none struct{}

func (none) Append(dst, text []byte) []byte { return append(dst, text...) }

type auto struct {
	page, document Extractor
}

func (a *auto) Append(dst, text []byte) []byte {
	switch Guess(text) {
	case "html":
		return a.page.Append(dst, text)
	case "markdown":
		return a.document.Append(dst, text)
	}
	return append(dst, text...)
}

var bom = []byte("\ufeff")

// blank reports whether a text consists of white space.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
