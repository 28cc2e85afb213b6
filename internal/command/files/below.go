package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// RefuseOutside returns an error if path, or a directory between dir and path, is a symbolic link
// that leads out of dir. A path that does not exist yet leads nowhere. That dir itself is a link is
// the user's choice, and so is a link to a device.
func RefuseOutside(dir, path string) error {
	below, err := filepath.Rel(dir, path)
	if err != nil {
		return err
	}
	if special, err := isSpecial(path); special || err != nil {
		return err
	}
	at := dir
	for part := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil // creating it reports the error
		}
		if err != nil {
			return err
		}
		if at != filepath.Clean(dir) && info.Mode().Type() == fs.ModeSymlink && !leadsInto(at, dir) {
			return fmt.Errorf("%s is a symbolic link that leads out of %s: remove it, or give another directory",
				at, dir)
		}
	}
	return nil
}

// leadsInto reports whether a symbolic link leads to something in a directory.
func leadsInto(link, dir string) bool {
	to, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	rest, err := filepath.Rel(root, to)
	return err == nil && filepath.IsLocal(rest)
}
