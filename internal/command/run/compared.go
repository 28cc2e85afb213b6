package run

import (
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
)

// Compared describes what of the source's records is compared: the fields, the kind of tokens, and
// how they are normalized.
func (s *Source) Compared(c *config.Filter) string {
	text, where := c.Rule.Text, "each record"
	switch fields := s.TextFields(); {
	case c.Input.Tokens != "":
		return fmt.Sprintf("runs of %d tokens of the field %s", text.ShingleSize, c.Input.Tokens)
	case len(fields) == 1 && s.HasFields():
		where = "the field " + fields[0]
	case len(fields) > 1 && s.HasFields():
		where = "the fields " + strings.Join(fields, ", ")
	}
	switch text.Markup {
	case "none", "":
	case "html":
		where = "the main contents of HTML in " + where
	case "html-text":
		where = "all visible text of HTML in " + where
	default:
		where = "the text that --markup " + text.Markup + " extracts from " + where
	}
	compared := shinglesOf(text.Tokenize, text.ShingleSize) + " of " + where
	if changesWords(text.Normalize) {
		compared += ", normalized by " + text.Normalize
	}
	return compared
}

// tokenNames are the names of the kinds of tokens.
var tokenNames = map[string]string{
	"word": "word", "word-grams": "word", "uax29": "word", "whitespace": "word", "chinese": "word",
	"char": "character", "grapheme": "character", "lines": "line", "paragraphs": "paragraph",
}

// shinglesOf describes runs of that many tokens.
func shinglesOf(tokenize string, size int) string {
	token := tokenNames[tokenize]
	switch {
	case token == "":
		token = "token"
	case size == 1:
		return "single " + token + "s"
	}
	return fmt.Sprintf("runs of %d %ss", size, token)
}

// What a reader sees of records whose texts are changed before they are compared.
const (
	VisibleText = "visible text"
	TextAsItWas = "text as it came"
)

// seenBy returns a config that compares the same records as c by what a reader sees of them, and
// says what that is. It returns nothing if c does so already.
func seenBy(c *config.Filter) (seen config.Filter, what string) {
	seen = *c
	switch {
	case comparesContents(c):
		seen.Rule.Text.Markup = "html-text"
		return seen, VisibleText
	case changesWords(c.Rule.Text.Normalize):
		seen.Rule.Text.Normalize = "nfkc-fold"
		return seen, TextAsItWas
	}
	return seen, ""
}

// AllOf describes what a reader sees of several records.
func AllOf(seen string) string {
	if seen == VisibleText {
		return "all " + seen
	}
	return seen
}
