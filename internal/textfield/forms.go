package textfield

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	urlForm    = regexp.MustCompile(`^(?i:https?|ftp|s3|gs|hf|urn|file|doi)://?\S+$`)
	hashForm   = regexp.MustCompile(`^(?i:[a-z0-9]+[:-])?(?:[0-9a-fA-F]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$`)
	timeForm   = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]+ ?(?:Z|UTC|GMT|[-+][0-9:]+)?)?$`)
	numberForm = regexp.MustCompile(`^[-+]?[0-9]*[.,]?[0-9]+(?:[eE][-+]?[0-9]+)?%?$`)
)

// A form is what a string looks like.
type form uint8

const (
	formText    form = iota
	formEmpty        // nothing
	formAddress      // a URL, a hash or a time: no text, whatever its name is
	formOpaque       // it may be an identifier, or a word of a text
	formNumber
)

func formOf(s string) form {
	s = strings.TrimSpace(s)
	switch {
	case s == "":
		return formEmpty
	case numberForm.MatchString(s):
		return formNumber
	case len(s) > 2048:
		return formText
	case urlForm.MatchString(s), hashForm.MatchString(s), timeForm.MatchString(s):
		return formAddress
	case isOpaque(s):
		return formOpaque
	}
	return formText
}

// isOpaque reports whether a string may be an identifier: one word of ASCII with a digit, or with a
// slash.
func isOpaque(s string) bool {
	hasMark := false
	for _, r := range s {
		if r > unicode.MaxASCII || unicode.IsSpace(r) {
			return false
		}
		hasMark = hasMark || r >= '0' && r <= '9' || r == '/'
	}
	return hasMark && len(s) > 3
}
