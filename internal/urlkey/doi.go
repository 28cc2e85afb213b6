package urlkey

import (
	"bytes"
	"net/url"
	"regexp"
	"sync"
)

// doiForm is a DOI with what may stand before it.
var doiForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:https?://)?(?:www\.|dx\.)?doi\.org/|doi:? *)?(10\.[0-9.]+(?:/|%2f).+)$`)
})

// appendDOI appends a DOI without what may stand before it, in lower case, since ASCII letters of
// DOIs are equal in either (DOI Handbook, section 3.4). A value that is no DOI is appended as it
// is.
func appendDOI(dst, value []byte) (_ []byte, isDOI bool) {
	found := doiForm().FindSubmatch(bytes.TrimSpace(value))
	if found == nil {
		return append(dst, value...), false
	}
	doi := string(found[1])
	if plain, err := url.PathUnescape(doi); err == nil {
		doi = plain
	}
	for _, c := range []byte(doi) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst, true
}
