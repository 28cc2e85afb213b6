package urlkey

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
)

// A host is what is known of one, as it is written in a URL.
type host struct {
	written  string
	isOne    bool   // something can be called that
	isListed bool   // it ends with a suffix of the public list, and is more than that
	name     string // in lower case and ASCII, without www.
	domain   string // its public suffix and one label more
}

// hosts keeps some of the hosts that were looked up, since most URLs of a crawl share theirs with
// others. The zero value is ready to use.
type hosts struct {
	known *[knownHosts]host
	other host // the last one that is too long to be kept
}

// A host takes at most four strings of mostInHost bytes; a name in a URL has 253.
const (
	knownHosts = 1 << 10
	mostInHost = 256
)

// find returns what is known of a host. It is valid until the next call.
func (h *hosts) find(written []byte) *host {
	if len(written) > mostInHost {
		h.other = newHost(written)
		return &h.other
	}
	if h.known == nil {
		h.known = new([knownHosts]host)
	}
	of := &h.known[xxh3.Hash(written)%knownHosts]
	if of.written != string(written) {
		*of = newHost(written)
	}
	return of
}

func newHost(written []byte) (h host) {
	h.written = string(written)
	var name []byte
	if name, h.isOne = appendHost(nil, written); !h.isOne {
		return h
	}
	// A value without a scheme is only taken for a URL if its host is listed.
	suffix, byICANN := publicsuffix.PublicSuffix(string(name))
	h.isListed = len(suffix) < len(name) && (byICANN || strings.IndexByte(suffix, '.') >= 0)
	h.name = string(withoutWWW(name))
	h.domain = domainOf(h.name)
	return h
}

// domainOf returns the registrable domain of a host. An IP address, and a host that is a public
// suffix itself, have none and represent themselves.
func domainOf(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
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
