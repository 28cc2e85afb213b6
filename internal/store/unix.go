//go:build unix

package store

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"
)

var (
	// ErrLocked is returned if another process holds the lock.
	ErrLocked = errors.New("another process holds the lock")
	// ErrNoLocks is returned if the file system does not support locks, as NFS without a lock
	// service.
	ErrNoLocks = errors.New("this file system has no locks")
)

// Lock locks an open file without waiting. The error is ErrLocked, with its holder if that is
// known, or ErrNoLocks, or names the file. The lock belongs to the file descriptor, so a killed
// process leaves none.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return locked(f)
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w (%s: %w)", ErrNoLocks, f.Name(), err)
	}
	return fmt.Errorf("lock %s: %w", f.Name(), err)
}

// Free returns how many bytes the files of a directory can still take.
func (d *Dir) Free() (uint64, error) {
	if err := reading(Stat, d.path); err != nil {
		return 0, err
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(d.path, &stat); err != nil {
		return 0, err
	}
	high, low := bits.Mul64(uint64(stat.Bavail), uint64(stat.Bsize))
	if high > 0 {
		return math.MaxUint64, nil
	}
	return low, nil
}
