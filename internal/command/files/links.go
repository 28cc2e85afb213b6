package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostLinks is how many symbolic links may follow each other, as in the system.
const mostLinks = 40

// behindLinks is the file that a name leads to by symbolic links, whether it is there or not: so an
// output is written where the shell would write it, and the link stays.
func behindLinks(path string) (string, error) {
	at := path
	for range mostLinks {
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Type() != fs.ModeSymlink {
			return at, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		at = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: unix.ELOOP}
}

// copyMode gives a file the permissions of the one that it is going to replace, and its owner as
// far as that is allowed. Before anything is written, so that nobody reads it in between.
func copyMode(f *os.File, replaced string) error {
	old, err := os.Stat(replaced)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid)) // only root may
	}
	if err := f.Chmod(old.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("give %s the mode of %s: %w", f.Name(), replaced, err)
	}
	return nil
}

// A walk collects the files in a directory and below it, in the order of their names' bytes. It
// follows symbolic links, and enters each directory once.
type walk struct {
	visited   map[fileID]bool
	paths     []string
	revisited []string // links to directories that were entered before
	hides     func(path string) bool
	hidden    int // files and directories that hides has left out
}

type fileID struct{ device, inode uint64 }

// visit takes the files of a directory, which is called so.
func (w *walk) visit(dir string, info os.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id := fileID{uint64(stat.Dev), stat.Ino}
		if w.visited[id] {
			w.revisited = append(w.revisited, dir)
			return nil
		}
		w.visited[id] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := refuseTable(dir, entries); err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if strings.HasSuffix(path, partialSuffix) {
			continue
		}
		info, err := os.Stat(path)
		if isHidden(entry.Name()) && w.hidesEntry(path, err == nil && info.IsDir()) {
			continue
		}
		switch {
		case err != nil: // a link that leads nowhere: who opens it says so
			w.paths = append(w.paths, path)
		case info.IsDir():
			if err := w.visit(path, info); err != nil {
				return err
			}
		case info.Mode().IsRegular(): // and no socket
			w.paths = append(w.paths, path)
		}
	}
	return nil
}

// hidesEntry leaves out a file or a directory whose name begins with a dot or an underscore, unless
// it is to be read all the same.
func (w *walk) hidesEntry(path string, isDir bool) bool {
	if isDir {
		path += "/"
	}
	if !w.hides(path) {
		return false
	}
	w.hidden++
	return true
}
