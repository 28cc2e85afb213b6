//go:build unix

package store

import (
	"errors"
	"fmt"
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

// Lock locks an open file without waiting. The error is ErrLocked, or ErrNoLocks, or names the
// file. The lock belongs to the file descriptor, so a killed process leaves none.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("%w (%s: %w)", ErrNoLocks, f.Name(), err)
	}
	return fmt.Errorf("lock %s: %w", f.Name(), err)
}
