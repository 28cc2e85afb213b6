package chaos

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
)

var failures = flag.Int("failures", 8, "how many of 100 disturbances are errors of a system call, which strace injects")

// strace is where that program is, or empty.
var strace, _ = exec.LookPath("strace")

// A failure is an error of a system call, as a disk, a quota or a limit makes it.
type failure struct {
	call, errno string
	at          int // how many calls of that name there are up to it
}

func (f failure) String() string { return fmt.Sprintf("%s at call %d of %s", f.errno, f.at, f.call) }

// failing are the calls that may fail, with the errors that they may return.
var failing = []struct {
	call   string
	errnos []string
	most   int // how many of these calls a run has, about
}{
	{"openat", []string{"EMFILE", "EIO", "EACCES", "ENOSPC"}, 80},
	{"write", []string{"ENOSPC", "EIO", "EDQUOT"}, 60},
	{"pwrite64", []string{"ENOSPC", "EIO"}, 20},
	{"read", []string{"EIO"}, 80},
	{"pread64", []string{"EIO"}, 40},
	{"fsync", []string{"EIO", "ENOSPC"}, 20},
	{"fdatasync", []string{"EIO"}, 10},
	{"renameat", []string{"EIO", "ENOSPC", "EACCES"}, 12},
	{"renameat2", []string{"EIO", "ENOSPC"}, 6},
	{"linkat", []string{"EIO", "ENOSPC"}, 6},
	{"unlinkat", []string{"EIO", "EACCES"}, 20},
	{"mkdirat", []string{"ENOSPC", "EACCES"}, 6},
	{"ftruncate", []string{"ENOSPC", "EIO"}, 6},
	{"newfstatat", []string{"EIO", "EACCES"}, 40},
	{"fstat", []string{"EIO"}, 40},
	{"lseek", []string{"EIO"}, 10},
	{"flock", []string{"EINTR", "ENOLCK"}, 4},
	{"getdents64", []string{"EIO"}, 10},
	{"mmap", []string{"ENOMEM"}, 80},
}

func drawFailure(rng *rand.Rand) failure {
	f := failing[rng.IntN(len(failing))]
	return failure{call: f.call, errno: f.errnos[rng.IntN(len(f.errnos))], at: 1 + rng.IntN(f.most)}
}

// strace are the arguments that have it inject the failure into what comes behind them. Only that
// call is looked at, so that the program is as fast as it is.
func (f failure) strace() []string {
	return []string{
		"-f", "--seccomp-bpf", "-qqq", "-o", "/dev/null", "-e", "trace=" + f.call,
		"-e", fmt.Sprintf("inject=%s:error=%s:when=%d", f.call, f.errno, f.at),
	}
}
