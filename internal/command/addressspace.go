package command

import (
	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/units"
)

// addressSpace says what to do if the system refuses memory, if the limit on the address space of
// the process may be the reason: that is used up long before memory is. Otherwise it returns "".
func addressSpace() string {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur >= 1<<62 {
		return ""
	}
	size := uint64(limit.Cur) // an int64 on FreeBSD
	return ": the address space is limited to " + units.Bytes(size) + ": raise the limit, as with ulimit -v " +
		"unlimited, and limit memory with a control group, as systemd-run -p MemoryMax does"
}
