package urlkey

import (
	"bytes"
	"net/netip"
	"strconv"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// parts are what a URL is made of (RFC 3986, appendix B), as they stand there.
type parts struct {
	scheme, host, port, path, query, fragment []byte
	isRelative                                bool // it begins with //, and so has a scheme that is not said
}

// split takes a URL apart. It reports false if there is no host, or no number for a port. User
// information is left out.
func (p *parts) split(url []byte) bool {
	*p = parts{}
	if before, after, ok := bytes.Cut(url, []byte("://")); ok && isScheme(before) {
		p.scheme, url = before, after
	} else if rest, ok := bytes.CutPrefix(url, []byte("//")); ok {
		p.isRelative, url = true, rest
	}
	url, p.fragment, _ = bytes.Cut(url, []byte{'#'})
	url, p.query, _ = bytes.Cut(url, []byte{'?'})
	authority := url
	if slash := bytes.IndexByte(url, '/'); slash >= 0 {
		authority, p.path = url[:slash], url[slash:]
	}
	if at := bytes.LastIndexByte(authority, '@'); at >= 0 {
		if !p.hasScheme() {
			return false // most likely an address of mail
		}
		authority = authority[at+1:]
	}
	p.host = authority
	if colon := bytes.LastIndexByte(authority, ':'); colon > bytes.LastIndexByte(authority, ']') {
		p.host, p.port = authority[:colon], bytes.TrimLeft(authority[colon+1:], "0")
	}
	if len(p.port) > 0 {
		if _, err := strconv.ParseUint(string(p.port), 10, 16); err != nil {
			return false
		}
	}
	return len(p.host) > 0
}

// plainHost returns the host of a URL of the web that is written as most are: in lower case, with
// nothing before or after the host that belongs to it, such as a port. It is one that nameOf leaves
// as it is. For others it returns nil,
// and split says more.
func plainHost(url []byte) []byte {
	rest, ok := bytes.CutPrefix(url, []byte("http"))
	if !ok {
		return nil
	}
	rest = bytes.TrimPrefix(rest, []byte("s"))
	if rest, ok = bytes.CutPrefix(rest, []byte("://")); !ok {
		return nil
	}
	n, last := 0, byte('.')
	for n < len(rest) && isPlain[rest[n]] && (rest[n] != '.' || last != '.') {
		last = rest[n]
		n++
	}
	if last == '.' || n < len(rest) && rest[n] != '/' && rest[n] != '?' && rest[n] != '#' {
		return nil
	}
	return rest[:n]
}

// isPlain has the characters of plain host names.
var isPlain = func() (of [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789-_.") {
		of[c] = true
	}
	return of
}()

// hasScheme reports whether the URL says that it is one.
func (p *parts) hasScheme() bool { return len(p.scheme) > 0 || p.isRelative }

// isWeb reports whether the URL is one of the web, whose two schemes lead to the same pages.
func (p *parts) isWeb() bool {
	return len(p.scheme) == 0 || bytes.EqualFold(p.scheme, []byte("http")) ||
		bytes.EqualFold(p.scheme, []byte("https"))
}

// otherPort returns the port, unless it is one that the web has anyway.
func (p *parts) otherPort() []byte {
	if usual := string(p.port) == "80" || string(p.port) == "443"; usual && p.isWeb() {
		return nil
	}
	return p.port
}

// isScheme reports whether b is the name of a scheme.
func isScheme(b []byte) bool {
	for i, c := range b {
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !isLetter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return len(b) > 0
}

// international maps names to lower case and Punycode as browsers do.
var international = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false))

// appendHost appends a host in lower case, an international name in Punycode, and an IPv6 address
// in its usual form. It reports false if a host cannot be called that.
func appendHost(dst, host []byte) ([]byte, bool) {
	before := len(dst)
	if host[0] == '[' {
		address, err := netip.ParseAddr(string(bytes.Trim(host, "[]")))
		if err != nil || !address.Is6() || address.Zone() != "" || host[len(host)-1] != ']' {
			return dst, false
		}
		return append(address.AppendTo(append(dst, '[')), ']'), true
	}
	if bytes.IndexByte(host, '%') >= 0 {
		host = unescaped(host)
	}
	isASCII := true
	for _, c := range host {
		isASCII = isASCII && c < 0x80
	}
	if isASCII {
		dst = appendLower(dst, host)
	} else {
		name, err := international.ToASCII(string(host))
		if err != nil || !utf8.Valid(host) {
			return dst, false
		}
		dst = append(dst, name...)
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	return dst, isHost(dst[before:])
}

// isHost reports whether a name has labels of letters, digits, hyphens and underscores.
func isHost(name []byte) bool {
	last := byte('.')
	for _, c := range name {
		switch {
		case !isPlain[c], c == '.' && last == '.':
			return false
		}
		last = c
	}
	return last != '.'
}

func appendLower(dst, text []byte) []byte {
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}
