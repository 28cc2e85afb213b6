package command

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// abortOnCrash makes a program that fails by a defect of its own end by SIGABRT. The exit code of
// the runtime would be 2, the code of a wrong command line, and a service that is not restarted for
// that would stay down. No core is dumped, since it would contain all the memory of an index. If
// GOTRACEBACK is set, the user decides about both.
func abortOnCrash() {
	if os.Getenv("GOTRACEBACK") != "" {
		return
	}
	debug.SetTraceback("crash")
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // a core does no harm, but is large
	}
}
