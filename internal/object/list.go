package object

import (
	"path"
	"strings"
)

// List returns the objects that a path means, in the byte order of their names, and whether it is a
// directory, from which the caller may select. A path that is neither a directory nor a pattern
// means itself. Files of the Hub are pinned to a commit.
func (c *Client) List(of string) (paths []string, isDirectory bool, err error) {
	switch {
	case isWeb(of):
		paths, err = []string{of}, c.check(of)
	case isHub(of):
		paths, isDirectory, err = c.datasets.list(of)
	default:
		paths, err = c.listBucket(of)
		isDirectory = strings.HasSuffix(of, "/")
	}
	if err != nil {
		return nil, false, named(of, c.caused(err))
	}
	return paths, isDirectory, nil
}

// isWanted reports whether a key belongs to a pattern or a prefix.
func isWanted(key, prefix, pattern string, isPattern bool) bool {
	if isPattern {
		matches, _ := path.Match(pattern, key) // the pattern is valid
		return matches
	}
	if strings.HasSuffix(key, "/") {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(key, prefix), "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}
