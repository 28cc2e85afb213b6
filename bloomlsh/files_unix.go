//go:build unix

package bloomlsh

import (
	"math"

	"golang.org/x/sys/unix"
)

func (d osDir) Free() (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(d.Path(), &stat); err != nil {
		return 0, err
	}
	return multiply(uint64(stat.Bavail), math.Abs(float64(stat.Bsize))), nil
}
