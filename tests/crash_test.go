package tests

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A crash is told from a wrong command line: by SIGQUIT the runtime ends the program in the same
// way.
func TestCrashIsNoUsageError(t *testing.T) {
	path, err := exec.LookPath("mithril-stream")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd := exec.Command(path, "-q", "-o", filepath.Join(t.TempDir(), "out"))
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	// Enough to know that the program is past its start: more than a pipe holds.
	if _, err := in.Write([]byte(strings.Repeat("{\"text\":\"some words\"}\n", 100_000))); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the program ended with %v", err)
	}
	if status := exit.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGABRT {
		t.Errorf("the program ended with %v; it said %.200q", exit, said.String())
	}
}
