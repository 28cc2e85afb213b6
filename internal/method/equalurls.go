package method

import (
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/urlkey"
)

// equalURLs is the sketcher of keys with fields that are URLs. It is a stream.URLReader.
type equalURLs struct {
	normalEqual
	forms   []urlkey.Form
	writers []*urlkey.Writer // of each field
	notURLs int
}

func newEqualURLs(e normalEqual, forms []urlkey.Form) *equalURLs {
	u := &equalURLs{normalEqual: e, forms: forms}
	for _, form := range forms {
		u.writers = append(u.writers, urlkey.NewWriter(form))
	}
	return u
}

// Append appends the key of the forms of a text's values.
func (u *equalURLs) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return u.appendOf(dst, text, u.form)
}

// form appends the form of a value. Only a single field may have several lines of the key.
func (u *equalURLs) form(key, value []byte, field int) []byte {
	field = min(field, len(u.forms)-1)
	if u.forms[field] == urlkey.AsItIs {
		return u.normal.append(key, value)
	}
	key, isURL := u.writers[field].Append(key, value)
	if !isURL {
		u.notURLs++
	}
	return key
}

// NotURLs returns how many values were not URLs since the last call.
func (u *equalURLs) NotURLs() (n int) {
	n, u.notURLs = u.notURLs, 0
	return n
}

// formsParameter is the name, in the identity of an index, of the forms in which fields of keys are
// compared.
const formsParameter = "key-forms"

// formsOf returns its value.
func formsOf(forms []urlkey.Form) string {
	names := make([]string, len(forms))
	for i, form := range forms {
		if names[i] = string(form); form == urlkey.AsItIs {
			names[i] = "as-it-is"
		}
	}
	return strings.Join(names, ",")
}
