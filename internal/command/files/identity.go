package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// An Identity distinguishes a file on this machine from others. It is zero for anything but a
// regular file.
type Identity struct {
	Device, Inode uint64
	Born          int64 // creation time in nanoseconds since 1970, or 0 if unknown
}

// InodeOf returns the inode number of a file or directory.
func InodeOf(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}

// Appends reports whether every write to a file goes to its end, as if the shell opened it with >>.
func Appends(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	flags := 0
	failed := conn.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	return failed == nil && err == nil && flags&unix.O_APPEND != 0
}

// ContentsOf returns a string that distinguishes the contents of an input from those of others. For
// a file, whatever its name, it is a hash of the length and of the first and last bytes; for an
// object, of the name and version. For other inputs it is empty. If a file does not exist or may
// not be read, the error matches fs.ErrNotExist or fs.ErrPermission.
func (s Streams) ContentsOf(path string) (string, error) {
	h := xxh3.New()
	if a, m, isMember := s.archives.find(path); isMember {
		return a.contentsOf(m)
	}
	if object.IsRemote(path) {
		version, err := s.Objects.Version(path)
		fmt.Fprintf(h, "%q %q\n", object.Unpinned(path), version)
		return fmt.Sprintf("%016x", h.Sum64()), err
	}
	if path != "-" {
		return ContentsAt(path)
	}
	info, err := s.In.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	from, err := s.In.Seek(0, io.SeekCurrent)
	if err != nil {
		return "", err
	}
	return contentsOf(s.In, info.Size(), from)
}

// ContentsAt is like ContentsOf, for a file. It is empty for anything but a regular file.
func ContentsAt(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return contentsOf(file, info.Size(), 0)
}

// contentsOf is like ContentsOf, for a file of the given size, from a position on.
func contentsOf(file io.ReaderAt, size, from int64) (string, error) {
	var parts [2][]byte
	for i, at := range []int64{from, max(from, size-HeadBytes)} {
		parts[i] = make([]byte, HeadBytes)
		n, err := file.ReadAt(parts[i], at)
		if err != nil && err != io.EOF {
			return "", err
		}
		parts[i] = parts[i][:n]
	}
	return contentsHash(size-from, parts[0], parts[1]), nil
}

// contentsHash returns a hash of the length and the first and last bytes of a file.
func contentsHash(length int64, first, last []byte) string {
	h := xxh3.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(length)))
	h.Write(first)
	h.Write(last)
	return fmt.Sprintf("%016x", h.Sum64())
}
