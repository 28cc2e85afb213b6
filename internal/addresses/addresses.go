// Package addresses ends a program whose address space is limited so far (ulimit -v, LimitAS=) that
// the runtime of Go would crash in the middle of the work, wherever it wants the next piece. It
// reserves many more addresses than it uses memory: half a gigabyte before the program begins, and
// where there is not even that, it ends before this package can say so. It is for the program
// alone.
package addresses

import (
	"fmt"
	"os"
	"syscall"
)

// least is how many addresses leave room for the runtime, and for a small index. With 780 MiB a run
// on two cores has failed, and with 830 it has not.
const least = 1 << 30

func init() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil {
		return
	}
	if message := refusal(limit.Cur); message != "" {
		os.Stderr.WriteString("mithril-stream: " + message + "\n")
		os.Exit(1)
	}
}

// refusal says what is missing where a limit in bytes is too low; else it is empty.
func refusal(limit uint64) string {
	if limit >= least {
		return ""
	}
	return fmt.Sprintf("the address space is limited to %d MiB, and Go needs %d: raise that, as by ulimit -v "+
		"unlimited, and limit memory by a control group, as systemd-run -p MemoryMax does", limit>>20, least>>20)
}
