package urlkey

import (
	"bytes"
	"slices"
	"strings"
)

// A Form is what of a URL is compared. The zero Form is the value as it is. Canonical may be
// followed by names of parameters that are left out, too: canonical{-ref,-sid_*}.
type Form string

// The forms, as they follow a field and a colon on the command line.
const (
	AsItIs    Form = ""
	Canonical Form = "canonical" // the whole URL, without what makes no difference
	Host      Form = "host"      // its host, without www.
	Domain    Form = "domain"    // the registrable domain of its host
	DOI       Form = "doi"       // the DOI that it leads to, or that is written in another way
)

// Cut divides what a user has written into a field and the form of its values: url:domain is the
// field url by its domain. An optional field may have its question mark before the form or after
// it. A backslash before the colon makes the form a part of the field's name.
func Cut(written string) (field string, form Form) {
	plain, isOptional := strings.CutSuffix(written, "?")
	colon := strings.LastIndexByte(plain, ':')
	if strings.HasSuffix(plain, "}") {
		colon = strings.LastIndex(plain, ":"+string(Canonical)+"{")
	}
	if colon <= 0 {
		return written, AsItIs
	}
	form, ok := parseForm(plain[colon+1:])
	if !ok {
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

// parseForm reads a form. The names of parameters are sorted, so that equal forms are equal values.
func parseForm(written string) (form Form, ok bool) {
	switch form = Form(written); form {
	case Canonical, Host, Domain, DOI:
		return form, true
	}
	list, ok := strings.CutPrefix(strings.TrimSuffix(written, "}"), string(Canonical)+"{")
	if !ok {
		return AsItIs, false
	}
	names := strings.Split(list, ",")
	for i, name := range names {
		if name, ok = strings.CutPrefix(strings.TrimSpace(name), "-"); !ok || name == "" {
			return AsItIs, false
		}
		names[i] = "-" + strings.ToLower(name)
	}
	slices.Sort(names)
	return Canonical + Form("{"+strings.Join(slices.Compact(names), ",")+"}"), true
}

// isCanonical reports whether the whole URL is compared.
func (f Form) isCanonical() bool { return strings.HasPrefix(string(f), string(Canonical)) }

// left returns the parameters that a form leaves out because its user wants that.
func (f Form) left() (of ownNames) {
	_, list, isThere := strings.Cut(strings.TrimSuffix(string(f), "}"), "{")
	if !isThere {
		return of
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimPrefix(name, "-")
		name, isPrefix := strings.CutSuffix(name, "*")
		escaped := bytes.ToLower(appendEscapes(nil, []byte(name), true))
		if isPrefix {
			of.prefixes = append(of.prefixes, escaped)
		} else {
			of.names = append(of.names, escaped)
		}
	}
	return of
}

// ownNames are names of parameters, and what names begin with, in lower case and with their escapes
// as appendEscapes has them.
type ownNames struct{ names, prefixes [][]byte }

// has reports whether a parameter of that name is one of them, whatever its case.
func (o ownNames) has(name []byte) bool {
	return slices.ContainsFunc(o.names, func(one []byte) bool { return bytes.EqualFold(one, name) }) ||
		slices.ContainsFunc(o.prefixes, func(one []byte) bool {
			return len(name) >= len(one) && bytes.EqualFold(one, name[:len(one)])
		})
}
