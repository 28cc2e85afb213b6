package markup

import (
	"bytes"
	"fmt"
	"strings"
)

// Names lists the names that [New] accepts.
var Names = []string{"none", "html", "html-text", "markdown", "auto"}

// An Extractor appends to dst the text to compare of a record's text, which it does not keep. It
// owns scratch memory, so each goroutine needs its own. If text is valid UTF-8 the result is too,
// and it is at most three times as long. Runs of white space become one space, or one line end
// where a block or a line of code ends; `none`, and `auto` on plain text, keep them.
type Extractor func(dst, text []byte) []byte

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
		return appendAll, nil
	case "html":
		return new(article).Append, nil
	case "html-text":
		return visible{}.Append, nil
	case "markdown":
		return newMarkdown().Append, nil
	case "auto":
		page, document := new(article), newMarkdown()
		return func(dst, text []byte) []byte {
			switch Guess(text) {
			case "html":
				return page.Append(dst, text)
			case "markdown":
				return document.Append(dst, text)
			}
			return append(dst, text...)
		}, nil
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

func appendAll(dst, text []byte) []byte { return append(dst, text...) }

var bom = []byte("\ufeff")

// blank reports whether a text consists of white space.
func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
