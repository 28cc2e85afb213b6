package command

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// abortOnCrash has a program that fails by a defect of its own end by SIGABRT. The exit code of the
// runtime would be 2, the code of a wrong command line: a service that is not started again
// for that would stay down. No core is dumped, since it would have all the memory of an index;
// whoever sets GOTRACEBACK decides about both.
func abortOnCrash() {
	if os.Getenv("GOTRACEBACK") != "" {
		return
	}
	debug.SetTraceback("crash")
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // a core is no harm, only large
	}
}
