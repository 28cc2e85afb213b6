// Package fsync makes what was done in a directory survive a crash.
package fsync

import (
	"errors"
	"fmt"
	"os"
)

// Dir makes the names in a directory durable: of files that were made in it, renamed or
// removed.
func Dir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}
