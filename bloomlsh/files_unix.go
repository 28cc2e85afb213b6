//go:build unix

package bloomlsh

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock of an open file, or returns ErrLocked. The lock goes with the file
// descriptor, so a killed process leaves none.
func lockFile(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

func freeSpace(dir string) (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return multiply(uint64(stat.Bavail), math.Abs(float64(stat.Bsize))), nil
}
