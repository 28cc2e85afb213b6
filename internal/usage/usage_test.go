package usage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An error of the system is not one of the command line, wherever it turns up.
func TestError(t *testing.T) {
	if err := Error(errors.New("no such rule")); !errors.Is(err, Err) || err.Error() != "no such rule" {
		t.Error(err)
	}
	_, missing := os.Open(filepath.Join(t.TempDir(), "missing"))
	for _, err := range []error{missing, fmt.Errorf("temporary file: %w", syscall.EMFILE)} {
		if marked := Error(err); errors.Is(marked, Err) || !errors.Is(marked, err) {
			t.Error(marked)
		}
	}
	if err := Error(nil); err != nil {
		t.Errorf("nil becomes %v", err)
	}
}
