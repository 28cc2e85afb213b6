// Package urlkey writes a URL in the form by which it is compared: its canonical form, its host or
// its registrable domain. docs/reference/urls.md specifies the rules.
package urlkey

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// A Form is what of a URL is compared. The zero Form is the value as it is.
type Form string

// The forms, as they follow a field and a colon on the command line.
const (
	AsItIs    Form = ""
	Canonical Form = "canonical" // the whole URL, without what makes no difference
	Host      Form = "host"      // its host, without www.
	Domain    Form = "domain"    // the registrable domain of its host
)

// Cut divides what a user has written into a field and the form of its values: url:domain is the
// field url by its domain. An optional field may have its question mark before the form or after
// it. A backslash before the colon makes the form a part of the field's name.
func Cut(written string) (field string, form Form) {
	plain, isOptional := strings.CutSuffix(written, "?")
	colon := strings.LastIndexByte(plain, ':')
	if colon <= 0 {
		return written, AsItIs
	}
	form = Form(plain[colon+1:])
	switch form {
	case Canonical, Host, Domain:
	default:
		return written, AsItIs
	}
	if plain[colon-1] == '\\' {
		return plain[:colon-1] + written[colon:], AsItIs
	}
	if field = plain[:colon]; isOptional {
		field += "?"
	}
	return field, form
}

// A Writer writes URLs in a form. It owns scratch memory: one for each goroutine.
type Writer struct {
	form       Form
	of         parts
	clean      []byte // the URL without white space
	host       []byte // in lower case and ASCII,
	path       []byte // with its escapes in one form
	query      []byte // the same of all parameters,
	parameters []parameter
	lastHost   string // the host whose domain was looked up last,
	lastDomain string // and that
}

// NewWriter returns a Writer of a form.
func NewWriter(form Form) *Writer { return &Writer{form: form} }

// Append appends the form of a URL. A value that is not a URL is appended as it is.
func (w *Writer) Append(dst, value []byte) (_ []byte, isURL bool) {
	if w.form == AsItIs {
		return append(dst, value...), true
	}
	defer w.release()
	w.clean = withoutSpace(w.clean, value)
	if !w.of.split(w.clean) {
		return append(dst, value...), false
	}
	if w.host, isURL = appendHost(w.host[:0], w.of.host); !isURL || !w.of.hasScheme() && !isListed(w.host) {
		return append(dst, value...), false
	}
	switch host := withoutWWW(w.host); w.form {
	case Host:
		return append(dst, host...), true
	case Domain:
		return append(dst, w.domainOf(host)...), true
	default:
		return w.canonical(dst, host), true
	}
}

// canonical appends the canonical form of the URL.
func (w *Writer) canonical(dst, host []byte) []byte {
	if !w.of.isWeb() {
		dst = append(appendLower(dst, w.of.scheme), "://"...)
	}
	dst = append(dst, host...)
	if port := w.of.otherPort(); len(port) > 0 {
		dst = append(append(dst, ':'), port...)
	}
	dst = w.appendPath(dst, w.of.path)
	dst = w.appendQuery(dst, w.of.query)
	if f := w.of.fragment; len(f) > 0 && (f[0] == '!' || f[0] == '/') { // the address of a page within the page
		dst = appendEscapes(append(dst, '#'), f, false)
	}
	return dst
}

// domainOf returns the registrable domain of a host: its public suffix and one label more. An IP
// address, and a host that is a public suffix itself, have none and represent themselves.
func (w *Writer) domainOf(host []byte) string {
	if string(host) == w.lastHost {
		return w.lastDomain
	}
	w.lastHost = string(host)
	w.lastDomain = w.lastHost
	if _, err := netip.ParseAddr(w.lastHost); err != nil {
		if domain, err := publicsuffix.EffectiveTLDPlusOne(w.lastHost); err == nil {
			w.lastDomain = domain
		}
	}
	return w.lastDomain
}

// isListed reports whether a host ends with a suffix of the public list, and is more than that: a
// value without a scheme is only taken for a URL if its host is such.
func isListed(host []byte) bool {
	name := string(host)
	suffix, byICANN := publicsuffix.PublicSuffix(name)
	return len(suffix) < len(name) && (byICANN || strings.IndexByte(suffix, '.') >= 0)
}

func withoutWWW(host []byte) []byte {
	for {
		rest, ok := bytes.CutPrefix(host, []byte("www."))
		if !ok || bytes.IndexByte(rest, '.') < 0 {
			return host
		}
		host = rest
	}
}

// withoutSpace returns a value without white space and control characters around it, and without
// tabs and line ends in it, as browsers read URLs.
func withoutSpace(scratch, value []byte) []byte {
	for len(value) > 0 && value[0] <= ' ' {
		value = value[1:]
	}
	for len(value) > 0 && value[len(value)-1] <= ' ' {
		value = value[:len(value)-1]
	}
	scratch = append(scratch[:0], value...)
	return slices.DeleteFunc(scratch, func(b byte) bool { return b == '\t' || b == '\n' || b == '\r' })
}

// maxScratch bounds the memory that is kept from one URL to the next.
const maxScratch = 1 << 20

func (w *Writer) release() {
	for _, scratch := range []*[]byte{&w.clean, &w.host, &w.path, &w.query} {
		if cap(*scratch) > maxScratch {
			*scratch = nil
		}
	}
	if cap(w.parameters) > maxScratch/64 {
		w.parameters = nil
	}
}
