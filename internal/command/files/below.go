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

// RefuseOutside refuses a file below a directory if a symbolic link between them, or it itself,
// leads out of it. What is not there yet leads nowhere. That the directory itself is a link is what
// the user has said, and so is a link to a device.
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
			return nil // who makes it says what is wrong
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
