package object

import "strings"

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
		paths, err = c.listS3(of)
		isDirectory = strings.HasSuffix(of, "/")
	}
	if err != nil {
		return nil, false, named(of, c.caused(err))
	}
	return paths, isDirectory, nil
}
