package index

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/store"
)

// openDirect opens a file for reads that bypass the page cache. It returns nil if the file system
// does not support them.
func openDirect(in *store.Dir, name string) *os.File {
	f, err := in.OpenWith(name, os.O_RDONLY|unix.O_DIRECT)
	if err != nil {
		return nil
	}
	return f.File
}

// cached reports whether a range of a file is in the page cache. If the system does not tell, as
// before Linux 6.5 or for another user's file, cached returns true.
func cached(f *os.File, offset, length int64) bool {
	var stat unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{Off: uint64(offset), Len: uint64(length)}, &stat, 0)
	return err != nil || stat.Cache*uint64(os.Getpagesize()) >= uint64(length)
}
