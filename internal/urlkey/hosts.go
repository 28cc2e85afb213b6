package urlkey

import (
	"bytes"
	"unsafe"

	"github.com/zeebo/xxh3"
	"golang.org/x/net/publicsuffix"
)

// A host is what is known of one, as it is written in a URL.
type host struct {
	isOne  bool   // something can be called that
	all    []byte // in lower case and ASCII
	name   []byte // the same without www.
	domain []byte // the end of the name: its public suffix and one label more
}

// as returns the host in one of the forms Host and Domain.
func (h *host) as(form Form) []byte {
	if form == Host {
		return h.name
	}
	return h.domain
}

// hosts keeps some of the hosts that were looked up, since most URLs of a crawl share theirs with
// others. The zero value is ready to use.
type hosts struct {
	known *[knownHosts]knownHost
	name  []byte // of the last one that is not kept
}

// knownHosts take 256 KiB.
const knownHosts = 1 << 12

// A knownHost is a host that is its own name, as nearly all are: it fills one line of a cache, and
// the garbage collector does not look into it.
type knownHost struct {
	written [61]byte
	length  uint8
	name    uint8 // where the name begins,
	domain  uint8 // and the domain
}

// find returns what is known of a host. It is valid until the next call.
func (h *hosts) find(written []byte) host {
	if h.known == nil {
		h.known = new([knownHosts]knownHost)
	}
	k := &h.known[xxh3.Hash(written)%knownHosts]
	if string(k.written[:k.length]) == string(written) {
		return k.host()
	}
	if len(written) <= len(k.written) && isHost(written) {
		k.learn(written)
		return k.host()
	}
	name, isOne := appendHost(h.name[:0], written)
	if h.name = name; !isOne {
		return host{}
	}
	nameAt, domainAt := divide(name)
	return host{true, name, name[nameAt:], name[domainAt:]}
}

func (k *knownHost) learn(written []byte) {
	k.length = uint8(copy(k.written[:], written))
	name, domain := divide(k.written[:k.length])
	k.name, k.domain = uint8(name), uint8(domain)
}

func (k *knownHost) host() host {
	all := k.written[:k.length]
	return host{k.length > 0, all, all[k.name:], all[k.domain:]}
}

// divide returns where in a host its name without www. begins, and where its registrable domain:
// its public suffix and one label more. A host that is a public suffix itself, and an IP address,
// have no domain and represent themselves, so that one or two labels are a domain whatever is
// listed.
func divide(host []byte) (name, domain int) {
	bare := withoutWWW(host)
	name = len(host) - len(bare)
	if bytes.Count(bare, []byte{'.'}) <= 1 {
		return name, name
	}
	suffix, _ := publicSuffix(bare)
	if len(suffix) == len(bare) {
		return name, name
	}
	labels := host[:len(host)-len(suffix)-1]
	return name, max(name, bytes.LastIndexByte(labels, '.')+1)
}

// isListed reports whether the host ends with a suffix of the public list, and is more than that.
func (h *host) isListed() bool {
	suffix, byICANN := publicSuffix(h.all)
	return len(suffix) < len(h.all) && (byICANN || bytes.IndexByte(suffix, '.') >= 0)
}

// publicSuffix returns the public suffix of a host, which is all of an IP address, and whether a
// registry of ICANN manages it.
func publicSuffix(host []byte) (suffix []byte, byICANN bool) {
	if host[0] == '[' {
		return host, false
	}
	found, byICANN := publicsuffix.PublicSuffix(unsafe.String(unsafe.SliceData(host), len(host)))
	return host[len(host)-len(found):], byICANN
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
