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

// mostLinks is the maximum number of symbolic links to follow, the same as in Linux.
const mostLinks = 40

// behindLinks returns the file to which a path leads through symbolic links, whether it exists or
// not. So an output is written where the shell would write it, and the link stays.
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

// copyMode gives a file the permissions of the one that it will replace, and its owner if that is
// allowed. It is called before anything is written, so that nobody can read that in the meantime.
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

// A walk collects the files in a directory and its subdirectories, in the byte order of their
// names. It follows symbolic links, and enters each directory only once.
type walk struct {
	visited   map[fileID]bool
	paths     []string
	revisited []string // links to directories that were entered before
	hides     func(path string) bool
	hidden    int // number of files and directories left out by hides
}

type fileID struct{ device, inode uint64 }

// visit collects the files in the directory dir.
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
		case err != nil: // a link that leads nowhere: opening it reports the error
			w.paths = append(w.paths, path)
		case info.IsDir():
			if err := w.visit(path, info); err != nil {
				return err
			}
		case info.Mode().IsRegular(): // not a socket, for example
			w.paths = append(w.paths, path)
		}
	}
	return nil
}

// hidesEntry reports whether a file or a directory whose name begins with a dot or an underscore is
// left out, and counts it if so.
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
