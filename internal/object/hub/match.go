package hub

import (
	"errors"
	"path"
	"strings"
)

// anyDirectories matches any number of directories in a pattern, including none.
const anyDirectories = "**"

// IsPattern reports whether a path contains pattern characters.
func IsPattern(of string) bool { return strings.ContainsAny(of, "*?[") }

// ErrPattern is returned for an invalid pattern.
var ErrPattern = errors.New(`it is no pattern: close each [ with a ], and write \[ for the character itself`)

// CheckPattern returns ErrPattern if a pattern is invalid.
func CheckPattern(pattern string) error {
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return ErrPattern
		}
	}
	return nil
}

// Match reports whether a path matches a pattern. Within a path element, * and ? match any
// characters and […] matches one of a set; the element ** matches any number of elements.
func Match(pattern, of string) bool {
	parts := strings.Split(of, "/")
	reached := make([]bool, len(parts)+1) // number of elements matched by the pattern so far
	reached[0] = true
	for p := range strings.SplitSeq(pattern, "/") {
		next := make([]bool, len(reached))
		for i := range next {
			switch {
			case p == anyDirectories:
				next[i] = reached[i] || i > 0 && next[i-1]
			case i > 0 && reached[i-1]:
				next[i], _ = path.Match(p, parts[i-1]) // the pattern is valid
			}
		}
		reached = next
	}
	return reached[len(parts)]
}

// Below returns the directory that contains all matches of a pattern, and whether matches may be in
// its subdirectories.
func Below(pattern string) (dir string, deep bool) {
	first := strings.IndexAny(pattern, "*?[")
	end := strings.LastIndexByte(pattern[:first], '/') + 1
	return strings.TrimSuffix(pattern[:end], "/"),
		strings.Contains(pattern[end:], "/") || pattern[end:] == anyDirectories
}
