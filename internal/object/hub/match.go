package hub

import (
	"errors"
	"path"
	"strings"
)

// anyDirectories stands in a pattern for any number of directories, none too.
const anyDirectories = "**"

// IsPattern reports whether a path may stand for several files.
func IsPattern(of string) bool { return strings.ContainsAny(of, "*?[") }

// ErrPattern means that a pattern is none.
var ErrPattern = errors.New(`it is no pattern: close each [ with a ], and write \[ for the character itself`)

// CheckPattern returns ErrPattern for a pattern that is none.
func CheckPattern(pattern string) error {
	for part := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return ErrPattern
		}
	}
	return nil
}

// Match reports whether a path matches a pattern: in each part * and ? stand for anything but a
// slash and […] for one of some characters; a part that is ** stands for any number of parts.
func Match(pattern, of string) bool {
	parts := strings.Split(of, "/")
	reached := make([]bool, len(parts)+1) // by the pattern so far: that many parts
	reached[0] = true
	for p := range strings.SplitSeq(pattern, "/") {
		next := make([]bool, len(reached))
		for i := range next {
			switch {
			case p == anyDirectories:
				next[i] = reached[i] || i > 0 && next[i-1]
			case i > 0 && reached[i-1]:
				next[i], _ = path.Match(p, parts[i-1]) // the pattern is right
			}
		}
		reached = next
	}
	return reached[len(parts)]
}

// Below takes the directory off a pattern in which all that matches is, and says whether some of it
// may be in directories below that.
func Below(pattern string) (dir string, deep bool) {
	first := strings.IndexAny(pattern, "*?[")
	end := strings.LastIndexByte(pattern[:first], '/') + 1
	return strings.TrimSuffix(pattern[:end], "/"),
		strings.Contains(pattern[end:], "/") || pattern[end:] == anyDirectories
}
