package chaos

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// A disturbance is what happens to one start of the program.
type disturbance struct {
	signal  syscall.Signal
	after   time.Duration // when the signal comes, unless
	change  int           // it comes at a change of the directory, the first of which is 1
	pause   bool          // SIGSTOP and SIGCONT come before the signal
	away    bool          // at that change an index is moved, and moved back at the end; there is no signal
	limit   string        // of ulimit, or fullDisk, in place of a signal
	allowed int
	failure // of a system call, in place of a signal
}

// fullDisk is the limit that allows some KiB on the disk of the round.
const fullDisk = "disk"

func (d disturbance) String() string {
	switch {
	case d.call != "":
		return d.failure.String()
	case d.limit == fullDisk:
		return fmt.Sprintf("%d KiB on the disk", d.allowed)
	case d.limit != "":
		return fmt.Sprintf("ulimit %s %d", d.limit, d.allowed)
	case d.away:
		return fmt.Sprintf("the index moved at change %d of the directory", d.change)
	case d.change > 0:
		return fmt.Sprintf("%v at change %d of the directory", d.signal, d.change)
	case d.pause:
		return fmt.Sprintf("a pause, then %v after %v", d.signal, d.after)
	}
	return fmt.Sprintf("%v after %v", d.signal, d.after)
}

// draw chooses what happens. 85 of 100 signals are SIGKILL.
func draw(rng *rand.Rand, longest time.Duration) disturbance {
	if rng.IntN(100) < *failures && strace != "" {
		return disturbance{failure: drawFailure(rng)}
	}
	d := disturbance{signal: syscall.SIGKILL, after: time.Duration(rng.Int64N(int64(longest * 5 / 4)))}
	switch n := rng.IntN(100); {
	case n >= 93:
		d.signal = syscall.SIGINT
	case n >= 85:
		d.signal = syscall.SIGTERM
	}
	switch n := rng.IntN(100); {
	case n < 45:
		d.change = 1 + rng.IntN(40)
	case n < 55:
		d.pause = true
	case n < 61: // blocks of 512 bytes that a file may have
		d.limit, d.allowed = "-f", 1+rng.IntN(300)
	case n < 66: // descriptors
		d.limit, d.allowed = "-n", 4+rng.IntN(16)
	case n < 70: // KiB of addresses
		d.limit, d.allowed = "-v", 100_000+rng.IntN(1_500_000)
	case n < 76:
		d.limit, d.allowed = fullDisk, rng.IntN(1000)
	case n < 80:
		d.away, d.change = true, 1+rng.IntN(20)
	}
	return d
}

// start runs a command under a disturbance. It reports whether the command succeeded, and whether
// it was stopped.
func (c *chaos) start(d disturbance, args []string) (done, stopped bool) {
	c.t.Helper()
	args, input := inputOf(args)
	cmd := exec.Command(program, args...)
	if d.limit == fullDisk {
		defer c.disk.fill(c.t, d.allowed)()
	} else if d.call != "" {
		cmd = exec.Command(strace, append(d.strace(), append([]string{program}, args...)...)...)
	} else if d.limit != "" {
		script := fmt.Sprintf(`ulimit %s %d; exec "$0" "$@"`, d.limit, d.allowed)
		cmd = exec.Command("bash", append([]string{"-c", script, program}, args...)...)
	}
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = c.dir, &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+c.disk.dir, cacheIn(c.dir))
	in, err := give(cmd, c.dir, input)
	if err != nil {
		c.t.Fatal(err)
	}
	defer in.Close()
	watch, err := newWatch(c.dir)
	if err != nil {
		c.t.Fatal(err)
	}
	defer watch.close()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var wait sync.WaitGroup
	ended := make(chan struct{})
	switch {
	case d.away:
		wait.Go(func() { c.move(d, watch, ended) })
	case d.limit == "" && d.call == "":
		wait.Go(func() { disturb(cmd, d, watch, ended) })
	}
	err = cmd.Wait()
	close(ended)
	watch.wake()
	wait.Wait()
	state := cmd.ProcessState
	status := state.Sys().(syscall.WaitStatus)
	switch code := state.ExitCode(); {
	case err == nil:
		return true, false
	case d.limit != "" || d.away || d.call != "":
		c.failing = true
		crashed := bytes.Contains(stderr.Bytes(), []byte("SIGSEGV")) || status.Signal() == syscall.SIGSEGV
		if crashed && d.call != "mmap" { // without which the runtime of Go ends so
			c.t.Fatalf("%v: %s", d, &stderr)
		}
		if code == 2 && bytes.Contains(stderr.Bytes(), []byte("see mithril-stream")) {
			c.t.Fatalf("%v is called a wrong command: %s", d, &stderr)
		}
		return false, true
	case status.Signaled() && status.Signal() == d.signal, code == 128+int(d.signal):
		return false, true
	case c.takesBack(stderr.String()), c.unlocks(stderr.String()):
		return false, true
	default:
		c.t.Fatalf("%v: %v ends with %v: %s", d, args, err, &stderr)
		return false, false
	}
}

// takeBack is the part of a message that names the way out.
var takeBack = regexp.MustCompile(`take that run back with mithril-stream index undo --to (\d+) `)

// takesBack takes the last run back, once, if that is the way out which a message names: of a run
// that an error of the system had end before its input did. Where the system has not failed yet no
// run has a reason to be refused.
func (c *chaos) takesBack(message string) bool {
	undo := takeBack.FindStringSubmatch(message)
	if !c.failing || c.tookBack || undo == nil || len(c.scenario.indexes) != 1 {
		return false
	}
	c.tookBack = true
	c.history = append(c.history, "index undo")
	cmd := exec.Command(program, "index", "undo", "--to", undo[1], c.scenario.indexes[0])
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("the way out that a message names is none: %v: %s", err, out)
	}
	return true
}

// move takes an index away when the time has come, and gives it back at the end.
func (c *chaos) move(d disturbance, w *watch, ended <-chan struct{}) {
	if !w.changes(d.change, ended) || len(c.scenario.indexes) == 0 {
		return
	}
	index := filepath.Join(c.dir, c.scenario.indexes[len(c.scenario.indexes)-1])
	if err := os.Rename(index, index+".away"); err != nil {
		return // it is not there yet
	}
	<-ended
	if err := os.Rename(index+".away", index); err != nil {
		c.t.Errorf("what was moved away was made anew: %v", err)
	}
}

// disturb sends the signal when its time has come.
func disturb(cmd *exec.Cmd, d disturbance, w *watch, ended <-chan struct{}) {
	if d.change > 0 {
		if w.changes(d.change, ended) {
			cmd.Process.Signal(d.signal)
		}
		return
	}
	timer := time.NewTimer(d.after)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ended:
		return
	}
	if d.pause {
		cmd.Process.Signal(syscall.SIGSTOP)
		cmd.Process.Signal(syscall.SIGCONT)
	}
	cmd.Process.Signal(d.signal)
}
