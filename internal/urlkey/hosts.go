package urlkey

import (
	"bytes"
	_ "embed"
	"unsafe"

	"golang.org/x/net/publicsuffix"
)

// hosts knows names of hosts. The zero value is ready to use.
type hosts struct {
	known [knownRules]knownRule
	name  []byte // the last one that was written in another form
}

// knownRules take 16 KiB: a crawl needs a few hundred of the rules of the public list.
const knownRules = 1 << 9

// A knownRule is what follows from the labels that hosts end with and that the public list may have
// something to say about, such as co.uk: it is the same whatever comes before.
type knownRule struct {
	end     [29]byte // the labels
	length  uint8    // of end
	labels  uint8    // of the public suffix
	byICANN bool
}

// nameOf returns a host in lower case and ASCII. It reports false if a host cannot be called that.
// The name is valid until the next call.
func (h *hosts) nameOf(written []byte) (name []byte, isOne bool) {
	if isHost(written) {
		return written, true
	}
	h.name, isOne = appendHost(h.name[:0], written)
	return h.name, isOne
}

// domainOf returns the registrable domain of a host: its public suffix and one label more. A host
// that is a public suffix itself, and an IP address, have no domain and represent themselves, so
// that one or two labels are a domain whatever is listed.
func (h *hosts) domainOf(name []byte) []byte {
	name = withoutWWW(name)
	if bytes.Count(name, []byte{'.'}) <= 1 {
		return name
	}
	suffix, _ := h.publicSuffix(name)
	if len(suffix) == len(name) {
		return name
	}
	return name[bytes.LastIndexByte(name[:len(name)-len(suffix)-1], '.')+1:]
}

// isListed reports whether a host ends with a suffix of the public list, and is more than that.
func (h *hosts) isListed(name []byte) bool {
	suffix, byICANN := h.publicSuffix(name)
	return len(suffix) < len(name) && (byICANN || bytes.IndexByte(suffix, '.') >= 0)
}

// publicSuffix returns the public suffix of a host, which is all of an IP address, and whether a
// registry of ICANN manages it. The library says so, but it searches for each label in a list that
// is seldom in a cache of the processor by then. So it is asked only once about all hosts that end
// with the same listed labels, and each time about hosts that consist of nothing else.
func (h *hosts) publicSuffix(name []byte) (suffix []byte, byICANN bool) {
	if last := name[len(name)-1]; last >= '0' && last <= '9' || last == ']' {
		return askForSuffix(name)
	}
	listed, more, hash := listedEnd(name)
	end := name[listed:]
	k := &h.known[hash%knownRules]
	if listed == 0 || len(end) > len(k.end) {
		return askForSuffix(name)
	}
	if string(k.end[:k.length]) != string(end) {
		suffix, k.byICANN = askForSuffix(name[more:])
		k.length, k.labels = uint8(copy(k.end[:], end)), uint8(bytes.Count(suffix, []byte{'.'})+1)
	}
	start := len(name) + 1
	for range k.labels {
		start = bytes.LastIndexByte(name[:start-1], '.') + 1
	}
	return name[start:], k.byICANN
}

// listedEnd returns where in a host the labels begin that the public list may know, at least one,
// where these begin with one label more, and a hash of them.
func listedEnd(name []byte) (listed, more int, hash uint64) {
	listed = len(name)
	soFar := uint64(0)
	for i := len(name) - 1; i >= 0; i-- {
		if soFar = hashOn(soFar, name[i]); i > 0 && name[i-1] != '.' {
			continue
		}
		if listed < len(name) && !mayBeListed(soFar) {
			return listed, i, hash
		}
		listed, hash = i, soFar
	}
	return 0, 0, hash
}

// hashOn continues a hash of a name, which begins at its end, with the character before.
func hashOn(hash uint64, c byte) uint64 {
	hash = (hash + uint64(c) + 1) * 0x9e3779b97f4a7c15
	return hash ^ hash>>32
}

// listedNames is a Bloom filter of the names of two labels and more in the list of the library, and
// of the ends of such names. go test -run TestFilterOfNames -update makes it for another list.
//
//go:embed names.filter
var listedNames string

// mayBeListed reports whether a name with that hash is in the list: certainly not if false.
func mayBeListed(hash uint64) bool {
	for range 3 {
		bit := hash % (16 << 13)
		if listedNames[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
		hash >>= 17
	}
	return true
}

// askForSuffix asks the library for the public suffix of a host.
func askForSuffix(host []byte) (suffix []byte, byICANN bool) {
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
