//go:build !linux

package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// IdentityOf returns the identity of an open file.
func IdentityOf(f *os.File) (Identity, error) {
	info, err := f.Stat()
	return identityOf(info), err
}

// IdentityAt returns the identity of a regular file, or the zero Identity if no such file exists.
func IdentityAt(path string) (Identity, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Identity{}, nil
	}
	return identityOf(info), err
}

func identityOf(info os.FileInfo) (id Identity) {
	if info == nil || !info.Mode().IsRegular() {
		return id
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(stat.Dev), stat.Ino
	}
	return id
}

// PathOf returns an empty string, since the path of an open file is not known here.
func PathOf(*os.File) string { return "" }
