package command

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
)

// Several files may find the disk full as a run ends. One of them says it, and what the message
// says besides stays.
func TestFullDiskIsSaidOnce(t *testing.T) {
	one := fmt.Errorf("write a: %w", syscall.ENOSPC)
	both := fmt.Errorf("%w; the rest is in b", errors.Join(one, fmt.Errorf("write c: %w", syscall.ENOSPC)))
	if got, want := reportOnce(both), "write a: no space left on device; the rest is in b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	other := errors.Join(one, errors.New("close d: it failed"))
	if got, want := reportOnce(other), "write a: no space left on device\nclose d: it failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
