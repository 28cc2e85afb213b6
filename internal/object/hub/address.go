package hub

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Scheme is the beginning of Hub addresses.
const Scheme = "hf://"

const form = Scheme + "datasets/OWNER/NAME/FILE"

// An Address is a place in a dataset: hf://datasets/OWNER/NAME[@REVISION][/PATH].
type Address struct {
	Dataset  string // OWNER/NAME
	Revision string // a branch, a tag or a commit
	// a file, a directory, which may end in a slash, or a pattern; empty for the whole dataset
	Path string
}

// The Hub's special revisions, which contain slashes, and how tools abbreviate one of them.
const (
	branch        = "main"
	parquet       = "refs/convert/parquet"
	parquetSpoken = "~parquet"
)

// Parse parses an address. A slash in a revision is written %2F, except in refs/convert/… and
// refs/pr/….
func Parse(address string) (a Address, err error) {
	rest, isHub := strings.CutPrefix(address, Scheme)
	parts := strings.SplitN(rest, "/", 4)
	switch {
	case !isHub:
		return a, errors.New("it is no address of the Hub: write " + form)
	case strings.ContainsAny(parts[0], ":@"):
		return a, errors.New("an address of the Hub has no user and no password: give a token as HF_TOKEN")
	case parts[0] != "datasets":
		return a, errors.New("of the Hub only datasets are read: write " + form)
	case len(parts) < 3:
		return a, errors.New("name a dataset, as in " + form)
	}
	name, revised, isRevised := strings.Cut(parts[2], "@")
	if !isName(parts[1]) || !isName(name) {
		return a, errors.New("name a dataset by its owner and its name, as in " + form)
	}
	if len(parts) == 4 {
		revised += "/" + parts[3]
	}
	a.Dataset = parts[1] + "/" + name
	if !isRevised {
		a.Revision, a.Path = branch, strings.TrimPrefix(revised, "/")
	} else if a.Revision, a.Path, err = splitRevision(revised); err != nil {
		return a, err
	}
	return a, checkPath(a.Path)
}

// splitRevision splits what follows the @.
func splitRevision(text string) (revision, path string, err error) {
	if own := ownRevision(text); own != "" {
		return own, strings.TrimPrefix(text[len(own):], "/"), nil
	}
	revision, path, _ = strings.Cut(text, "/")
	if revision == parquetSpoken {
		return parquet, path, nil
	}
	if revision, err = url.PathUnescape(revision); err != nil || revision == "" {
		return "", "", errors.New("after the @ stands a branch, a tag or a commit, with %2F for a slash in it")
	}
	return revision, path, nil
}

// ownRevision returns the special revision that text begins with, or "".
func ownRevision(text string) string {
	for prefix, isOf := range map[string]func(byte) bool{"refs/convert/": isOfName, "refs/pr/": isDigit} {
		rest, has := strings.CutPrefix(text, prefix)
		if name, _, _ := strings.Cut(rest, "/"); has && consistsOf(name, isOf) {
			return prefix + name
		}
	}
	return ""
}

// isName reports whether s is a valid name of an owner or a dataset.
func isName(s string) bool { return consistsOf(s, isOfName) && s[0] != '.' && s[0] != '-' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isOfName(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || c == '-'
}

// isCommit reports whether a revision is a Git hash: SHA-1 or SHA-256.
func isCommit(revision string) bool {
	isHex := func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }
	return (len(revision) == 40 || len(revision) == 64) && consistsOf(revision, isHex)
}

func consistsOf(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return s != ""
}

// checkPath rejects paths with an ambiguous meaning. A directory may end in a slash.
func checkPath(path string) error {
	if path == "" {
		return nil
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("%q is no path in a dataset: no part of it may be empty, nor . or .. alone", path)
		}
	}
	return nil
}

// String returns the address in the form that Parse accepts.
func (a Address) String() string {
	s := Scheme + "datasets/" + a.Dataset + "@" + a.spokenRevision()
	if a.Path != "" {
		s += "/" + a.Path
	}
	return s
}

func (a Address) spokenRevision() string {
	if ownRevision(a.Revision) == a.Revision {
		return a.Revision
	}
	return url.PathEscape(a.Revision)
}

// Whole returns the address of the whole dataset at the same revision.
func (a Address) Whole() Address { return Address{Dataset: a.Dataset, Revision: a.Revision} }

// IsPinned reports whether the revision is a commit, which never changes.
func (a Address) IsPinned() bool { return isCommit(a.Revision) }

// Unpinned returns the address without its revision: the name of a file at all commits.
func (a Address) Unpinned() string {
	return strings.TrimSuffix(Scheme+"datasets/"+a.Dataset+"/"+a.Path, "/")
}

// escaped escapes a path for a URL.
func escaped(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}
