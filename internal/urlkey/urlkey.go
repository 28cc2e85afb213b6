// Package urlkey writes a URL in the form by which it is compared: its canonical form, its host or
// its registrable domain. docs/reference/urls.md specifies the rules.
package urlkey

import (
	"bytes"
	"slices"
)

// A Writer writes URLs in a form. It owns scratch memory: one for each goroutine.
type Writer struct {
	form       Form
	left       ownNames // parameters that are left out beside those that say where a reader came from
	of         parts
	clean      []byte // the URL without white space
	hosts      hosts
	path       []byte // with its escapes in one form
	query      []byte // the same of all parameters,
	parameters []parameter
}

// NewWriter returns a Writer of a form.
func NewWriter(form Form) *Writer { return &Writer{form: form, left: form.left()} }

// Append appends the form of a URL, or of a DOI. A value that is neither is appended as it is.
func (w *Writer) Append(dst, value []byte) (_ []byte, isURL bool) {
	switch w.form {
	case AsItIs:
		return append(dst, value...), true
	case DOI:
		return appendDOI(dst, value)
	}
	if !w.form.isCanonical() {
		if name := plainHost(value); name != nil {
			return append(dst, w.ofHost(name)...), true
		}
	}
	defer w.release()
	if !w.of.split(w.withoutSpace(value)) {
		return append(dst, value...), false
	}
	name, isOne := w.hosts.nameOf(w.of.host)
	if !isOne || !w.of.hasScheme() && !w.hosts.isListed(name) { // anything else might be a name of a file
		return append(dst, value...), false
	}
	if !w.form.isCanonical() {
		return append(dst, w.ofHost(name)...), true
	}
	return w.canonical(dst, withoutWWW(name)), true
}

// ofHost returns a host in the form Host or Domain.
func (w *Writer) ofHost(name []byte) []byte {
	if w.form == Host {
		return withoutWWW(name)
	}
	return w.hosts.domainOf(name)
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

// withoutSpace returns a value without white space and control characters around it, and without
// tabs and line ends in it, as browsers read URLs.
func (w *Writer) withoutSpace(value []byte) []byte {
	for len(value) > 0 && value[0] <= ' ' {
		value = value[1:]
	}
	for len(value) > 0 && value[len(value)-1] <= ' ' {
		value = value[:len(value)-1]
	}
	if bytes.IndexByte(value, '\t') < 0 && bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return value
	}
	w.clean = append(w.clean[:0], value...)
	return slices.DeleteFunc(w.clean, func(b byte) bool { return b == '\t' || b == '\n' || b == '\r' })
}

// maxScratch bounds the memory that is kept from one URL to the next.
const maxScratch = 1 << 20

func (w *Writer) release() {
	for _, scratch := range []*[]byte{&w.clean, &w.path, &w.query} {
		if cap(*scratch) > maxScratch {
			*scratch = nil
		}
	}
	if cap(w.parameters) > maxScratch/64 {
		w.parameters = nil
	}
}
