//go:build unix

package store

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// A HeldError is ErrLocked with the process that holds the lock.
type HeldError struct{ By string }

// Error names the process.
func (e HeldError) Error() string { return ErrLocked.Error() + ": " + e.By }

// Unwrap returns ErrLocked.
func (HeldError) Unwrap() error { return ErrLocked }

// locked returns ErrLocked, as a HeldError if the system says which process holds the lock of a
// file.
func locked(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return ErrLocked
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ErrLocked
	}
	locks, err := os.ReadFile("/proc/locks") // of Linux
	if err != nil {
		return ErrLocked
	}
	holder := holderOf(locks, uint64(of.Ino))
	if holder <= 0 { // it is of another container
		return ErrLocked
	}
	by := processOf(holder)
	if parent := parentOf(holder); parent > 1 {
		by += ", started by " + processOf(parent)
	}
	return HeldError{by}
}

// holderOf returns the process that has locked the file of that number as a whole, or 0. The number
// of the device is not compared: some file systems have another one for each mount.
func holderOf(locks []byte, inode uint64) (pid int) {
	lines := bufio.NewScanner(bytes.NewReader(locks))
	for lines.Scan() {
		// 1: FLOCK  ADVISORY  WRITE 1234 fd:01:5678 0 EOF
		fields := strings.Fields(lines.Text())
		if len(fields) < 6 || fields[1] != "FLOCK" || !strings.HasSuffix(fields[5], fmt.Sprint(":", inode)) {
			continue
		}
		if pid, _ = strconv.Atoi(fields[4]); pid > 0 {
			return pid
		}
	}
	return 0
}

// processOf names a process: its number, and what it is called if that is known.
func processOf(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, string(name))
	if err != nil || printable == "" {
		return fmt.Sprint("process ", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, printable)
}

// parentOf returns the parent of a process, or 0.
func parentOf(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nPPid:")
	line, _, _ := strings.Cut(after, "\n")
	parent, _ := strconv.Atoi(strings.TrimSpace(line))
	return parent
}
