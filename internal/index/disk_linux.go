package index

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// openDirect opens a file for reads past the page cache, or returns nil if its file system has no
// such thing.
func openDirect(in *store.Dir, name string) *os.File {
	f, err := in.OpenWith(name, os.O_RDONLY|unix.O_DIRECT)
	if err != nil {
		return nil
	}
	return f.File
}

// cached says whether these bytes of a file are in the page cache. Where that cannot be known,
// before Linux 6.5 and for the file of another user, they are taken to be.
func cached(f *os.File, offset, length int64) bool {
	var stat unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Off: uint64(offset), Len: uint64(length)}, &stat, 0)
	return err != nil || stat.Cache*uint64(os.Getpagesize()) >= uint64(length)
}
