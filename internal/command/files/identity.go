package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// An Identity tells a file of this machine from others. It is zero for what is no file.
type Identity struct {
	Device, Inode uint64
	Born          int64 // nanoseconds since 1970, or 0
}

// Appends reports whether what is written to a file goes to its end, wherever that is: so the shell
// opens it for >>.
func Appends(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	flags := 0
	failed := conn.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	return failed == nil && err == nil && flags&unix.O_APPEND != 0
}

// ContentsOf tells what an input holds from what others hold, whatever they are called: the version
// of an object; of a file its length, and the hashes of its first and last bytes. It is empty for
// what is neither. A file that is not there, or may not be read, is an error of fs.
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
	info, err := Stat(path, s.In)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	file, from := s.In, int64(0)
	if path == "-" {
		from, err = file.Seek(0, io.SeekCurrent)
	} else if file, err = os.Open(path); err == nil {
		defer file.Close()
	}
	if err != nil {
		return "", err
	}
	var parts [2][]byte
	for i, at := range []int64{from, max(from, info.Size()-HeadBytes)} {
		parts[i] = make([]byte, HeadBytes)
		n, err := file.ReadAt(parts[i], at)
		if err != nil && err != io.EOF {
			return "", err
		}
		parts[i] = parts[i][:n]
	}
	return contentsHash(info.Size()-from, parts[0], parts[1]), nil
}

// contentsHash tells a file from others by its length and its first and last bytes.
func contentsHash(length int64, first, last []byte) string {
	h := xxh3.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(length)))
	h.Write(first)
	h.Write(last)
	return fmt.Sprintf("%016x", h.Sum64())
}
