package object

import (
	"path"
	"strings"
)

// List returns the objects that a path stands for, in the order of the bytes of their names, and
// whether it is a directory, of which only some files may be wanted. A path that is neither a
// directory nor a pattern stands for itself; files of the Hub are named with the commit at which
// they are read.
func (c *Client) List(of string) (paths []string, isDirectory bool, err error) {
	switch {
	case isWeb(of):
		paths, err = []string{of}, c.check(of)
	case isHub(of):
		paths, isDirectory, err = c.listHub(of)
	default:
		paths, err = c.listBucket(of)
		isDirectory = strings.HasSuffix(of, "/")
	}
	if err != nil {
		return nil, false, named(of, c.caused(err))
	}
	return paths, isDirectory, nil
}

// isWanted reports whether a key is one of those that a pattern, or a prefix, stands for.
func isWanted(key, prefix, pattern string, isPattern bool) bool {
	if isPattern {
		matches, _ := path.Match(pattern, key) // the pattern is right
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
