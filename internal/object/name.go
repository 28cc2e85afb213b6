package object

import (
	"net/url"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object/hub"
)

// IsRemote reports whether a path names an object.
func IsRemote(path string) bool { return IsInBucket(path) || isWeb(path) || isHub(path) }

func isHub(path string) bool { return strings.HasPrefix(path, hub.Scheme) }

func isWeb(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// Name returns the name of an input or output for messages, indexes, outputs and reports. It
// removes from a URL what may be secret: user, password, query and fragment. Other paths are
// returned unchanged.
func Name(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || !isScheme(scheme) {
		return address
	}
	ends := "/?#"
	if hasAnySign(scheme) {
		ends = "/"
	}
	end := endOf(rest, ends)
	host := rest[strings.LastIndexByte(rest[:end], '@')+1 : end]
	if !isHost(host, scheme) { // it may be part of a password that contains a slash
		return scheme + "://…"
	}
	path := rest[end:]
	return scheme + "://" + host + path[:endOf(path, ends[1:])]
}

// hasAnySign reports whether the part after the host may contain any character, such as ? in a
// pattern.
func hasAnySign(scheme string) bool { return scheme == "hf" || IsInBucket(scheme+"://") }

// Unpinned returns the name without the commit, for a file that may be read at several commits.
func Unpinned(path string) string {
	if a, err := hub.Parse(path); err == nil {
		return a.Unpinned()
	}
	return Name(path)
}

func isHost(host, scheme string) bool {
	if hasAnySign(scheme) {
		return !strings.Contains(host, ":") // the name of a bucket, or a word
	}
	_, err := url.Parse("http://" + host)
	return err == nil
}

// endOf returns the index of the first of some characters, or the length.
func endOf(s, signs string) int {
	if i := strings.IndexAny(s, signs); i >= 0 {
		return i
	}
	return len(s)
}

func isScheme(s string) bool {
	for i, c := range []byte(strings.ToLower(s)) {
		if isLetter := 'a' <= c && c <= 'z'; !isLetter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
