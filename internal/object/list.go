package object

import (
	"errors"
	"slices"
	"strings"
)

// A Listing contains the objects that a path means, in the byte order of their names.
type Listing struct {
	Paths       []string
	Hidden      []string // below a directory, those with a name that begins with a dot or an underscore
	IsDirectory bool     // from which the caller may select
}

// add adds an object. below is its key relative to the listed directory.
func (l *Listing) add(path, below string) {
	for part := range strings.SplitSeq(below, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			l.Hidden = append(l.Hidden, path)
			return
		}
	}
	l.Paths = append(l.Paths, path)
}

// sorted returns the sorted listing, or an error if it is empty.
func (l Listing) sorted(none string) (Listing, error) {
	if len(l.Paths)+len(l.Hidden) == 0 {
		return l, errors.New(none)
	}
	slices.Sort(l.Paths)
	slices.Sort(l.Hidden)
	return l, nil
}

// List returns the objects that a path means. A path that is neither a directory nor a pattern
// means itself. Files of the Hub are pinned to a commit.
func (c *Client) List(of string) (l Listing, err error) {
	switch {
	case isWeb(of):
		l.Paths, err = []string{of}, c.check(of)
	case isHub(of):
		l, err = c.datasets.list(of)
	default:
		l, err = c.listBucket(of)
		l.IsDirectory = strings.HasSuffix(of, "/")
	}
	if err != nil {
		return Listing{}, named(of, c.caused(err))
	}
	return l, nil
}
