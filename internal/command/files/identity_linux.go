package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// IdentityOf returns the identity of an open file.
func IdentityOf(f *os.File) (id Identity, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return id, err
	}
	failed := conn.Control(func(fd uintptr) { id, err = identify(int(fd), "", unix.AT_EMPTY_PATH) })
	return id, errors.Join(failed, err)
}

// IdentityAt returns the identity of a regular file, or the zero Identity if no such file exists.
func IdentityAt(path string) (Identity, error) {
	id, err := identify(unix.AT_FDCWD, path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Identity{}, nil
	}
	return id, err
}

// identify returns the identity of a regular file. It includes the creation time, since file
// systems reuse the inode numbers of removed files.
func identify(dir int, path string, flags int) (id Identity, err error) {
	var stat unix.Statx_t
	asked := unix.STATX_TYPE | unix.STATX_INO | unix.STATX_BTIME
	if err := unix.Statx(dir, path, flags, asked, &stat); err != nil {
		return id, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return id, nil
	}
	id.Device, id.Inode = unix.Mkdev(stat.Dev_major, stat.Dev_minor), stat.Ino
	if stat.Mask&unix.STATX_BTIME != 0 {
		id.Born = stat.Btime.Sec*1e9 + int64(stat.Btime.Nsec)
	}
	return id, nil
}

// PathOf returns the path of an open file, or an empty string if the system does not know it.
func PathOf(f *os.File) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return path
}
