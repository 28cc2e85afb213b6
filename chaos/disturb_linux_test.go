package chaos

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A disturbance is what happens to one start of the program.
type disturbance struct {
	signal  syscall.Signal
	after   time.Duration // when the signal comes, unless
	change  int           // it comes at a change of the directory, the first of which is 1
	pause   bool          // SIGSTOP and SIGCONT come before the signal
	limit   string        // of ulimit, in place of a signal
	allowed int
}

func (d disturbance) String() string {
	switch {
	case d.limit != "":
		return fmt.Sprintf("ulimit %s %d", d.limit, d.allowed)
	case d.change > 0:
		return fmt.Sprintf("%v at change %d of the directory", d.signal, d.change)
	case d.pause:
		return fmt.Sprintf("a pause, then %v after %v", d.signal, d.after)
	}
	return fmt.Sprintf("%v after %v", d.signal, d.after)
}

// draw chooses what happens. 85 of 100 signals are SIGKILL.
func draw(rng *rand.Rand, longest time.Duration) disturbance {
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
	}
	return d
}

// start runs a command in dir under a disturbance. It reports whether the command succeeded, and
// whether it was stopped.
func start(t *testing.T, dir string, d disturbance, args []string) (done, stopped bool) {
	t.Helper()
	cmd := exec.Command(program, args...)
	if d.limit != "" {
		script := fmt.Sprintf(`ulimit %s %d; exec "$0" "$@"`, d.limit, d.allowed)
		cmd = exec.Command("bash", append([]string{"-c", script, program}, args...)...)
	}
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	watch, err := newWatch(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	ended := make(chan struct{})
	if d.limit == "" {
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
	case d.limit != "":
		if code == 2 && bytes.Contains(stderr.Bytes(), []byte("see mithril-stream")) {
			t.Fatalf("%v is called a wrong command: %s", d, &stderr)
		}
		return false, true
	case status.Signaled() && status.Signal() == d.signal, code == 128+int(d.signal):
		return false, true
	default:
		t.Fatalf("%v: %v ends with %v: %s", d, args, err, &stderr)
		return false, false
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

// A watch tells of files that are made, renamed and removed in a directory, and in those that are
// made in it.
type watch struct {
	fd, stop int // of inotify, and an event that ends a wait
	dir      string
}

const watched = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_DELETE

func newWatch(dir string) (*watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	stop, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &watch{fd, stop, dir}
	return w, w.add(dir)
}

// add watches a directory and those in it.
func (w *watch) add(dir string) error {
	if _, err := unix.InotifyAddWatch(w.fd, dir, watched); err != nil {
		return err
	}
	for _, sub := range subdirectories(dir) {
		if err := w.add(sub); err != nil {
			return err
		}
	}
	return nil
}

// changes waits for that many changes, or for the end. It reports whether they came.
func (w *watch) changes(count int, ended <-chan struct{}) bool {
	buf := make([]byte, 64<<10)
	for {
		fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}, {Fd: int32(w.stop), Events: unix.POLLIN}}
		unix.Poll(fds, -1)
		select {
		case <-ended:
			return false
		default:
		}
		n, _ := unix.Read(w.fd, buf)
		for at := 0; at+unix.SizeofInotifyEvent <= n; count-- {
			if count == 1 {
				return true
			}
			// the length of the name is the last field of an event's head
			size := int(buf[at+12]) | int(buf[at+13])<<8 | int(buf[at+14])<<16
			at += unix.SizeofInotifyEvent + size
		}
		for _, sub := range subdirectories(w.dir) {
			unix.InotifyAddWatch(w.fd, sub, watched) // it may be gone again
		}
	}
}

func (w *watch) wake() { unix.Write(w.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

func (w *watch) close() {
	unix.Close(w.fd)
	unix.Close(w.stop)
}
